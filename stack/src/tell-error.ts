import { ConfigError } from '@renderkit/server-kit/config.ts';
import { OperatorError } from '@renderkit/studio/operator.ts';
import { ApiProblem } from '@renderkit/service/problems/api-problem.ts';
import { ClusterLost } from './postgres/place.ts';
import { PostgresMissing } from './postgres/binaries.ts';
import { UnknownOsAccount } from './postgres/os-account.ts';
import { StackError } from './stack-error.ts';

const forPeople = [
  StackError,
  ConfigError,
  OperatorError,
  ApiProblem,
  ClusterLost,
  PostgresMissing,
  UnknownOsAccount,
];

/** The text for the terminal: the sentence alone where a person can act on it, all we know where it is our fault. */
export function tellError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return forPeople.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}
