import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a form was sent by one of the studio's own pages. Browsers say so in Sec-Fetch-Site, except to plain http
 * addresses other than loopback; there the Origin has to be ours. A request with neither is no browser's form.
 */
export function isOwnForm(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  // `none`: a person reloads the answer to a form.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === ownOrigin;
}
