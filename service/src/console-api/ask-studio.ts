import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import { within } from '@renderkit/server-kit/work/within.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** Why the studio told nothing. */
export type StudioSilence = 'expired' | 'unreachable';

export type Asked<T> = { answer: T; failure: undefined } | { answer: null; failure: StudioSilence };

/** A page is shown without what the studio knows rather than late. */
const patienceMs = 3_000;

const silenceOf: Partial<Record<ProblemCode, StudioSilence>> = {
  connection_expired: 'expired',
  upstream_unavailable: 'unreachable',
  upstream_error: 'unreachable',
  rate_limited: 'unreachable',
};

/** Waits a moment for what was asked of the studio; what it does not tell is null. Faults of our own are thrown. */
export async function askStudio<T>(asked: Promise<T>, patience = patienceMs): Promise<Asked<T>> {
  try {
    const answered = asked.then((answer) => ({ answer, failure: undefined }));
    return (await within(answered, patience)) ?? { answer: null, failure: 'unreachable' };
  } catch (error) {
    const failure = error instanceof ApiProblem ? silenceOf[error.code] : undefined;
    if (failure === undefined) throw error;
    return { answer: null, failure };
  }
}
