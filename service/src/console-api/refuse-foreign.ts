import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '../problems/api-problem.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what may have been sent by another site's page: what changes anything must come from our own origin, by the
 * browser's word for it (Sec-Fetch-Site, which no script can set), or where a browser has no such word, by an Origin
 * that is exactly ours.
 * @throws ApiProblem `forbidden`
 */
export function refuseForeign(request: IncomingMessage, ownOrigin: string): void {
  if (safeMethods.has(request.method ?? '')) return;
  const { 'sec-fetch-site': site, origin } = request.headers;
  // `none`: the person typed it; no page had a hand in it.
  const own = site === undefined ? origin === ownOrigin : site === 'same-origin' || site === 'none';
  if (!own)
    throw new ApiProblem('forbidden', {
      detail: 'Changes are taken from the console alone, and this request came from elsewhere.',
    });
}
