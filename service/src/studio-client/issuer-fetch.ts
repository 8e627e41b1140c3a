import type { Exchange } from './exchange.ts';
import { StudioFailure } from './studio-failure.ts';

/** As much of `fetch` as a client of OpenID Connect uses. @throws StudioFailure */
export type IssuerFetch = (
  url: string,
  request: { method?: string; headers?: Record<string, string>; body?: unknown },
) => Promise<Response>;

const timeoutMs = 5_000;
const maxBytes = 256 * 1024;

/**
 * Sends what is for the issuer to the studio, by the address that the service reaches it at, whichever of its two the
 * issuer is known by, with the caps and time-outs of every other call. What is for anybody else is not sent.
 */
export function createIssuerFetch(
  exchange: Exchange,
  { studioUrl, studioPublicUrl }: { studioUrl: string; studioPublicUrl: string },
): IssuerFetch {
  const origins = new Set([new URL(studioUrl).origin, new URL(studioPublicUrl).origin]);
  return async (address, { method = 'GET', headers = {}, body }) => {
    const url = new URL(address);
    if (!origins.has(url.origin))
      throw new StudioFailure('nonsense', 'the issuer names an endpoint at a foreign address', {
        maybeSent: false,
      });
    const reply = await exchange.send({
      method,
      path: url.pathname + url.search,
      headers,
      ...(body !== undefined && body !== null && { body: textOf(body) }),
      timeoutMs,
      maxBytes,
      // A code serves once.
      repeatable: method === 'GET',
    });
    if (reply.status >= 500 || reply.status === 429)
      throw new StudioFailure('unavailable', `the issuer answered ${reply.status}`, { maybeSent: true });
    const told = new Headers();
    for (const [name, value] of Object.entries(reply.headers))
      if (value !== undefined) told.set(name, String(value));
    return new Response(new Uint8Array(reply.body), { status: reply.status, headers: told });
  };
}

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new Error('what is sent to the issuer is a form');
}
