import { MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { ApiProblem } from '@renderkit/service/problems/api-problem.ts';
import { ModelRefused } from '@renderkit/studio/administration/models.ts';
import { BackendError } from '@renderkit/studio/backends/backend.ts';
import { OperatorError } from '@renderkit/studio/operator.ts';
import { StackError } from '../stack-error.ts';
import { type Answer, problemLine } from './command.ts';

/**
 * Turns errors of the parts into an answer for the terminal. @throws StackError with the error's sentence, and any
 * other error unchanged
 */
export function answerRefusal(error: unknown): Answer {
  if (error instanceof ModelRefused) {
    const { problems } = error;
    return { data: { problems }, lines: problems.map(problemLine), failed: true };
  }
  if (error instanceof OperatorError || error instanceof BackendError || error instanceof ApiProblem)
    throw new StackError(error.message, { cause: error });
  if (error instanceof MediaUnavailable) {
    const reason = error.message.charAt(0).toUpperCase() + error.message.slice(1).replace(/\.$/, '');
    throw new StackError(`${reason}. Call the command again once that is mended.`, { cause: error });
  }
  throw error;
}
