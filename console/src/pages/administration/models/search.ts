import { wholeNumber } from '../../../format/search-params.ts';

/** The shown version. When left out: the draft, or the published version. */
export type ModelSearch = { version?: number };

export function modelSearch(search: Record<string, unknown>): ModelSearch {
  return { version: wholeNumber(search['version'], { min: 1, max: 9_999_999 }) };
}
