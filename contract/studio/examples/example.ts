import type { Issue } from '../issues.ts';
import type { AskedRequest } from '../validate.ts';
import type { exampleModels } from './models.ts';

/** A request, and what the check of it against its model finds. */
export type Example = {
  /** What is particular about it. */
  about: string;
  model: keyof typeof exampleModels;
  asked: AskedRequest;
  /** All that is wrong with it, in order: choices of the catalog, forms of references, then what the model says. */
  issues: readonly Issue[];
  /** Parts of the request that a right one becomes; undefined is what it does not have. */
  request?: Readonly<Record<string, unknown>>;
};
