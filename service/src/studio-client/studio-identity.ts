import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse, readAnswer } from './check-answer.ts';
import type { Exchange } from './exchange.ts';
import { readRefusal } from './http-call.ts';
import { StudioFailure } from './studio-failure.ts';

export type StudioIdentity = {
  /**
   * Returns the studio's id, as in our database. Together with an account's `sub` it identifies a person, whatever the
   * studio's address is. @throws StudioFailure
   */
  studioId: (options?: { fresh?: boolean }) => Promise<string>;
  /**
   * Returns the same id and the issuer's address, which is at the studio's internal or public address. @throws
   * StudioFailure
   */
  issuer: (options?: { fresh?: boolean }) => Promise<{ studioId: string; issuer: string }>;
  /** Returns the path of the token endpoint at the studio's address. @throws StudioFailure */
  tokenEndpoint: () => Promise<string>;
};

const issuerTimeoutMs = 5_000;
const maxIssuerBytes = 256 * 1024;
const freshForMs = 60_000;
const timeoutMs = 5_000;
const maxBytes = 64 * 1024;
const Discovery = Compile(
  Type.Object({
    issuer: Type.String({ maxLength: 4_096 }),
    token_endpoint: Type.String({ maxLength: 4_096 }),
  }),
);

/**
 * Reads the studio's identity. The issuer's address must be at the configured studio, internal or public, so that a
 * token is never sent elsewhere. The address is not part of anybody's identity.
 */
export function createStudioIdentity(options: {
  exchange: Exchange;
  studioUrl: string;
  studioPublicUrl: string;
}): StudioIdentity {
  const origins = new Set([new URL(options.studioUrl).origin, new URL(options.studioPublicUrl).origin]);
  let known: { studioId: string; issuer: string; readAt: number } | undefined;
  let reading: Promise<{ studioId: string; issuer: string }> | undefined;
  let endpoint: { issuer: string; path: string; readAt: number } | undefined;

  const get = async (path: string) => {
    const reply = await options.exchange.send({ method: 'GET', path, timeoutMs, maxBytes, repeatable: true });
    if (reply.status !== 200) throw readRefusal(path, reply);
    return reply.body;
  };
  const own = (address: string, what: string): URL => {
    const url = URL.parse(address);
    if (url === null || !origins.has(url.origin))
      throw new StudioFailure('nonsense', `the studio's ${what} is at a foreign address`, {
        maybeSent: true,
      });
    return url;
  };
  const readMetadata = async () => {
    const bytes = await get('/api/metadata');
    const { studio_id: studioId, issuer } = readAnswer('getMetadata', bytes, {}, options.studioPublicUrl);
    own(issuer, 'issuer');
    known = { studioId, issuer, readAt: performance.now() };
    return known;
  };
  const metadata = async (fresh = false) => {
    if (!fresh && known !== undefined && performance.now() - known.readAt < freshForMs) return known;
    reading ??= readMetadata().finally(() => (reading = undefined));
    return reading;
  };

  return {
    studioId: async ({ fresh } = {}) => (await metadata(fresh)).studioId,
    issuer: async ({ fresh } = {}) => metadata(fresh),
    tokenEndpoint: async () => {
      const { issuer } = await metadata();
      if (endpoint?.issuer === issuer && performance.now() - endpoint.readAt < freshForMs)
        return endpoint.path;
      // OpenID Connect Discovery 1.0 §4: the document must name the issuer that it was requested from.
      const { pathname } = new URL(issuer);
      const document = parse(
        'discovery',
        await get(`${pathname.replace(/\/$/, '')}/.well-known/openid-configuration`),
      );
      if (!Discovery.Check(document) || document.issuer !== issuer)
        throw new StudioFailure('nonsense', "the issuer's document is not its own", { maybeSent: true });
      const path = own(document.token_endpoint, 'token endpoint').pathname;
      endpoint = { issuer, path, readAt: performance.now() };
      return path;
    },
  };
}

/** The part of `fetch` that an OpenID Connect client uses. @throws StudioFailure */
export type IssuerFetch = (
  url: string,
  request: { method?: string; headers?: Record<string, string>; body?: unknown },
) => Promise<Response>;

/**
 * Sends requests for the issuer to the studio, at the address at which the service reaches it. The issuer may have the
 * internal or the public address. The same size limits and timeouts apply as for every other call. Refuses requests to
 * any other address.
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
      timeoutMs: issuerTimeoutMs,
      maxBytes: maxIssuerBytes,
      // A code can be used only once.
      repeatable: method === 'GET',
    });
    if (reply.status >= 500 || reply.status === 429)
      throw new StudioFailure('unavailable', `the issuer answered ${reply.status}`, { maybeSent: true });
    const responseHeaders = new Headers();
    for (const [name, value] of Object.entries(reply.headers))
      if (value !== undefined) responseHeaders.set(name, String(value));
    return new Response(new Uint8Array(reply.body), { status: reply.status, headers: responseHeaders });
  };
}

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new Error('what is sent to the issuer is a form');
}
