import type { Issue } from '../issues.ts';
import type { AskedRequest } from '../validate.ts';
import type { exampleModels } from './models.ts';

/** A request, and the result of validating it against its model. */
export type Example = {
  /** What the example shows. */
  about: string;
  model: keyof typeof exampleModels;
  asked: AskedRequest;
  /** All issues in order: choices of the catalog, forms of references, then the rules of the model. */
  issues: readonly Issue[];
  /**
   * Some properties of the resulting request, if the example is valid; `undefined` for a property that it does not
   * have.
   */
  request?: Readonly<Record<string, unknown>>;
};
