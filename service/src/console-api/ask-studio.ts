import { within } from '@renderkit/server-kit/work/within.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** Why the studio did not answer. */
export type StudioProblem = 'expired' | 'unreachable';

export type Asked<T> = { answer: T; failure: undefined } | { answer: null; failure: StudioProblem };

/** How long a page waits for the studio. After that it is shown without the studio's part. */
const patienceMs = 3_000;

const problemOf: { [Code in ApiProblem['code']]?: StudioProblem } = {
  connection_expired: 'expired',
  upstream_unavailable: 'unreachable',
  upstream_error: 'unreachable',
  rate_limited: 'unreachable',
};

/**
 * Waits a short time for an answer of the studio. Without an answer, returns `answer: null` and the reason. Throws our
 * own errors.
 */
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
