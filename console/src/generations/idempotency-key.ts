import type { RequestBody } from '../model-form/build-request.ts';

/** A run as it was sent. */
export type SentRun = { path: string; body: RequestBody; key: string };

/**
 * The Idempotency-Key of a run. One whose outcome is unknown is sent under its own key again, so that it is made and
 * paid for once; any other run gets a fresh key. Web addresses without TLS have no `crypto.randomUUID`.
 */
export function runKey(run: Omit<SentRun, 'key'>, inDoubt: SentRun | undefined): string {
  if (inDoubt !== undefined && inDoubt.path === run.path && sameBody(inDoubt.body, run.body))
    return inDoubt.key;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function sameBody(one: RequestBody, other: RequestBody): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
