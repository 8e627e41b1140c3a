import { text } from '../../app/search-values.ts';

export type PlaygroundSearch = { from?: string };

/** `from`: id of a generation whose request fills the form. */
export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const from = text(search['from']);
  return from === undefined ? {} : { from };
}
