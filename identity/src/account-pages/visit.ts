import type { Fields } from '../pages/read-fields.ts';
import type { Browser } from '../provider/sessions.ts';

/** A browser on one of the pages of an account. */
export type Visit = {
  browser: Browser;
  query: URLSearchParams;
  fields: Fields;
  /** Where it calls from. */
  address: string;
};
