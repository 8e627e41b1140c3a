import type { Fields } from '../pages/read-fields.ts';
import type { Browser } from '../provider/sessions.ts';

/** A browser on one of the pages of an account. */
export type Visit = {
  browser: Browser;
  query: URLSearchParams;
  fields: Fields;
  /** The network address of the browser. */
  address: string;
};
