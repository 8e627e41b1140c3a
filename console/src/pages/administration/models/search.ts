import { wholeNumber } from '../../../format/search-params.ts';

/** The version that is looked at; without it the draft, or what is on offer. */
export type ModelSearch = { version?: number };

export function modelSearch(search: Record<string, unknown>): ModelSearch {
  return { version: wholeNumber(search['version'], { min: 1, max: 9_999_999 }) };
}
