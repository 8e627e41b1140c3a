import type { Page } from './page.ts';
import type { Answer } from './send-page.ts';

/** Returns an answer whose page shows when the next try is allowed. */
export function tooMany(retryAfterSeconds: number, page: (problem: string) => Page): Answer {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const problem = `Too many tries. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
  return { status: 429, retryAfterSeconds, page: page(problem) };
}
