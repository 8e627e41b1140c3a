import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';

/** A workflow that cannot be taken as it is. The message is that of the first problem. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems[0]?.message ?? 'The workflow cannot be used.', options);
    this.problems = problems;
  }
}

/** The error for a single problem of the file or the graph as a whole. */
export function refuse(code: ProblemCode, message: string, options?: ErrorOptions): WorkflowError {
  return new WorkflowError([{ code, message }], options);
}

/** What an operator should know and need not act on. */
export interface Warning {
  readonly message: string;
  /** Id of the node, as in the graph. */
  readonly node?: string;
}
