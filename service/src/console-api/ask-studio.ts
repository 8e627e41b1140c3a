import { within } from '@renderkit/server-kit/work/within.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** Why the studio did not answer. */
export type StudioProblem = 'expired' | 'unreachable';

export type Asked<T> = { answer: T; failure: undefined } | { answer: null; failure: StudioProblem };

/** A page is shown without what the studio knows rather than late. */
const patienceMs = 3_000;

const problemOf: { [Code in ApiProblem['code']]?: StudioProblem } = {
  connection_expired: 'expired',
  upstream_unavailable: 'unreachable',
  upstream_error: 'unreachable',
  rate_limited: 'unreachable',
};

/** Waits a moment for what was asked of the studio; what it does not answer is null. Errors of our own are thrown. */
export async function askStudio<T>(asked: Promise<T>, patience = patienceMs): Promise<Asked<T>> {
  try {
    const answered = asked.then((answer) => ({ answer, failure: undefined }));
    return (await within(answered, patience)) ?? { answer: null, failure: 'unreachable' };
  } catch (error) {
    const failure = error instanceof ApiProblem ? problemOf[error.code] : undefined;
    if (failure === undefined) throw error;
    return { answer: null, failure };
  }
}
