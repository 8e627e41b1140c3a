import { consoleProblemCodes } from '@renderkit/contract/console/problem-codes.ts';
import { problemMediaType } from '@renderkit/contract/v1/headers.ts';
import { problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { ApiProblem } from './api-problem.ts';

const codes = { ...problemCodes, ...consoleProblemCodes };

/** Header names are in lower case. */
export type PresentedProblem = { status: number; headers: Record<string, string>; text: string };

/** Returns the problem document of a refusal (docs/api.md §7). */
export function presentProblem(
  problem: ApiProblem,
  context: { requestId: string; docsUrl: string },
): PresentedProblem {
  const { status, title } = codes[problem.code];
  const document: Omit<Problem, 'code'> & { code: ApiProblem['code'] } = {
    type: `${context.docsUrl}/errors#${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.message,
    request_id: context.requestId,
    ...(problem.errors !== undefined && problem.errors.length > 0 && { errors: problem.errors }),
  };
  const headers: Record<string, string> = { 'content-type': problemMediaType };
  if (problem.retryAfterSeconds !== undefined) headers['retry-after'] = String(problem.retryAfterSeconds);
  // RFC 9110 §15.5.2: a 401 names the way to authenticate.
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  return { status, headers, text: JSON.stringify(document) };
}
