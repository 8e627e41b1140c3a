import { problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { ApiProblem } from '../../problems/api-problem.ts';
import type { Refusal } from '../kept-alive-answer.ts';

/** Problems whose status in this API differs from `/v1`. */
const statuses: Partial<Record<string, number>> = {
  invalid_request: 422,
  conflict: 422,
  unprocessable: 422,
  budget_exceeded: 403,
  moderation_blocked: 400,
};

/** Makes a refusal of this API. Most of its programs show `detail`; some show only `error`. */
function refusalOf(status: number, code: string, detail: string): Refusal {
  return { status, headers: {}, body: { error: code, detail, body: '', errors: detail } };
}

/** Converts a problem into a refusal of this API. */
export function errorOfProblem(problem: ApiProblem): Refusal {
  const known = problemCodes[problem.code as keyof typeof problemCodes] as { status: number } | undefined;
  const [first] = problem.errors ?? [];
  const detail = first === undefined ? problem.message : `${first.field} ${first.message}.`;
  const refusal = refusalOf(statuses[problem.code] ?? known?.status ?? 500, problem.code, detail);
  if (problem.retryAfterSeconds !== undefined)
    refusal.headers['retry-after'] = String(problem.retryAfterSeconds);
  if (refusal.status === 401) refusal.headers['www-authenticate'] = 'Basic realm="Renderkit"';
  return refusal;
}

/** Makes the refusal for a generation without outputs: failed or canceled, or unfinished when its time was up. */
export function errorOfGeneration({ id, status, error }: Generation): Refusal {
  if (status === 'failed') {
    const code = error?.code ?? 'generation_failed';
    const blocked = code === 'moderation_blocked';
    return refusalOf(blocked ? 400 : 500, code, `${error?.message ?? 'The generation failed.'} (${id})`);
  }
  if (status === 'canceled') return refusalOf(500, 'canceled', `The generation ${id} was canceled.`);
  const late = `The generation ${id} has not finished in time; it goes on and will be found in the library.`;
  return refusalOf(504, 'timeout', late);
}
