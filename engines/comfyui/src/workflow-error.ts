import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';

/** A workflow that cannot be used as it is. The message is the message of the first problem. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems[0]?.message ?? 'The workflow cannot be used.', options);
    this.problems = problems;
  }
}

/** Creates the error for a single problem of the whole file or graph. */
export function refuse(code: ProblemCode, message: string, options?: ErrorOptions): WorkflowError {
  return new WorkflowError([{ code, message }], options);
}

/** Information for an operator who need not act on it. */
export interface Warning {
  readonly message: string;
  /** Id of the node, as in the graph. */
  readonly node?: string;
}
