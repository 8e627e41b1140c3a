import assert from 'node:assert/strict';
import { createSecureContext } from 'node:tls';
import { RateFloor } from '@renderkit/server-kit/http/rate-floor.ts';
import { type Connection, connectionOver } from './connection.ts';
import { openSocket, type ConnectorOptions } from './connector.ts';
import { EgressRefusal, type EgressFailureKind } from './egress-refusal.ts';
import { exchange, type Exchange, type ExchangeOptions, type ResponseHeaders } from './exchange.ts';
import { type ConnectionOwner, ownerOf, PooledConnections } from './pooled-connections.ts';
import type { Cidr } from './public-address.ts';
import { readBody } from './read-body.ts';
import { dnsResolver, type NameResolver } from './resolve-name.ts';
import { StopGroup, stopSignal, type StopSignal } from './stop-signal.ts';
import { ValidUrls } from './url-cache.ts';
import { validateUrl } from './validate-url.ts';

/** The maximum size of the names and values of an answer's headers. */
const MAX_HEADER_BYTES = 16_384;
/** Milliseconds for the look-up of a name. */
const DNS_TIMEOUT_MS = 5_000;
/** Milliseconds over which the minimum rate is measured. */
const RATE_WINDOW_MS = 5_000;
/**
 * Headers that are also sent to another origin after a redirect. Any other header may be a secret for the first origin.
 */
const portableHeaders: ReadonlySet<string> = new Set(['accept', 'user-agent']);
/** Headers that the egress itself writes. */
const ownHeaders = /^(?:host|accept-encoding|connection|content-length)$/i;
/** The body of answers without one. It is shared, because an empty buffer cannot be changed. */
const emptyBody = Buffer.alloc(0);

export interface EgressOptions {
  /** Blocks of addresses that are allowed although they are not public, also by http. */
  allow: readonly Cidr[];
  /** Default: the system's name servers. */
  resolver?: NameResolver | undefined;
  /** Certificates (PEM) to trust instead of the well-known authorities. */
  ca?: string | string[];
  dnsTimeoutMs?: number;
}

export interface EgressRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** Milliseconds of wall-clock time for everything: names, handshakes, redirects, the whole body. */
  totalTimeoutMs: number;
  /** The maximum number of bytes of the body on the wire; it is never decoded. */
  maxResponseBytes: number;
  /**
   * `cut`: after the status line nothing fails any more; the body is read until its size, the time or the connection
   * ends it. `refuse`: the body arrives completely, or the request fails.
   */
  whenLarger: 'cut' | 'refuse';
  /**
   * The maximum number of redirects that are followed (GET and HEAD only). Each target is validated like the first URL.
   * Default 0: any 3xx is a failure.
   */
  maxRedirects?: number;
  /** A slower body fails as `too_slow`. Default: no minimum. */
  minBytesPerSecond?: number;
  rateWindowMs?: number;
  maxHeaderBytes?: number;
  /**
   * Keeps the connection for the next request with this name to the same origin: for a few seconds without use, and for
   * a minute in total, because the address was validated when it was opened. Default: the connection is used once.
   */
  poolKey?: string;
  /**
   * Receives the body while it arrives, so that it is never in memory as a whole. The `body` of the result is then
   * empty.
   */
  onBody?: (chunk: Buffer, head: EgressHead) => void | Promise<void>;
  signal?: AbortSignal;
}

export interface EgressHead {
  status: number;
  headers: ResponseHeaders;
  /** The URL that answered, after redirects. */
  finalUrl: string;
}

export interface EgressAnswer extends EgressHead {
  ok: true;
  body: Buffer;
  /** True when the body continues after the bytes that were read. */
  isCut: boolean;
  durationMs: number;
}

export interface EgressFailure {
  ok: false;
  kind: EgressFailureKind;
  /** The status of the 3xx answer when the kind is `redirect`, else `null`. */
  status: number | null;
  /** The error code of the system or library, such as ECONNREFUSED; for the operator's log only (see publicMessage). */
  code: string | null;
  durationMs: number;
}

export type EgressResult = EgressAnswer | EgressFailure;

export interface Egress extends AsyncDisposable {
  /**
   * Sends a request. Any status except 3xx is `ok`. Rejects only for errors of the caller: its headers, or an error
   * that `onBody` throws.
   */
  request(options: EgressRequest): Promise<EgressResult>;
}

/**
 * Creates the only way to send requests to addresses that others choose (webhooks, imports), by decision 0022. The
 * callers set the limits: `service/src/webhooks/deliveries/attempt.ts`, `service/src/uploads/fetch-file.ts`,
 * `engines/kit/src/download.ts`. Stores no name between requests, and a connection only for requests with a `poolKey`.
 * Disposing stops running requests (`aborted`) and waits for them.
 */
export function createEgress(options: EgressOptions): Egress {
  const { allow, resolver = dnsResolver(), ca, dnsTimeoutMs = DNS_TIMEOUT_MS } = options;
  const connector: ConnectorOptions = {
    allow,
    resolver,
    secureContext: createSecureContext({ ca }),
    dnsTimeoutMs,
  };
  const closing = new StopGroup();
  const pooled = new PooledConnections();
  const validUrls = new ValidUrls(allow);
  const shared: Connections = { ...connector, pooled, validUrls };
  return {
    request: (asked) => requestOnce(asked, shared, closing),
    async [Symbol.asyncDispose]() {
      await closing.stop();
      await pooled[Symbol.asyncDispose]();
    },
  };
}

type Connections = ConnectorOptions & { pooled: PooledConnections; validUrls: ValidUrls };

async function requestOnce(
  options: EgressRequest,
  connector: Connections,
  closing: StopGroup,
): Promise<EgressResult> {
  assertOwnOptions(options);
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  using stop = stopSignal(options.totalTimeoutMs, { group: closing, caller: options.signal });
  try {
    if (stop.reason !== undefined) throw stop.reason;
    const { status, headers, finalUrl, body, isCut } = await follow(options, connector, stop);
    return { ok: true, status, headers, finalUrl, body, isCut, durationMs: durationMs() };
  } catch (error) {
    if (!(error instanceof EgressRefusal)) throw error;
    const { kind, status, code } = error;
    return { ok: false, kind, status, code, durationMs: durationMs() };
  }
}

async function follow(
  options: EgressRequest,
  connector: Connections,
  stop: StopSignal,
): Promise<EgressHead & { body: Buffer; isCut: boolean }> {
  const { maxRedirects = 0, headers = {}, method, body = null, maxResponseBytes } = options;
  const first =
    options.poolKey === undefined
      ? validateUrl(options.url, connector)
      : connector.validUrls.read(options.url);
  let url = first;
  for (let hop = 0; ; hop += 1) {
    const { owner, connection, answer } = await ask(options.poolKey, connector, {
      method,
      url,
      headers: url === first || url.origin === first.origin ? headers : pickPortable(headers),
      body,
      maxHeaderBytes: options.maxHeaderBytes ?? MAX_HEADER_BYTES,
      maxResponseBytes,
      stop,
    });
    let isWhole = false;
    try {
      if (answer.status < 300 || answer.status > 399) {
        const result = await read(answer, url, options, stop);
        isWhole = !result.isCut;
        return result;
      }
      if (hop >= maxRedirects)
        throw new EgressRefusal('redirect', 'Redirects end here.', { status: answer.status });
      url = nextUrl(answer, url, connector.allow);
    } finally {
      const isKept = isWhole && owner !== undefined && connector.pooled.add(owner, connection);
      if (!isKept) await connection[Symbol.asyncDispose]();
    }
  }
}

/** An answer and its connection, which the caller returns to the pool for its owner or closes. */
type Asked = { answer: Exchange; connection: Connection; owner: ConnectionOwner | undefined };

async function ask(
  poolKey: string | undefined,
  connector: Connections,
  options: ExchangeOptions,
): Promise<Asked> {
  const { url, maxHeaderBytes } = options;
  const { origin } = url;
  const owner = poolKey === undefined ? undefined : ownerOf({ name: poolKey, origin, maxHeaderBytes });
  const open = owner && connector.pooled.take(owner);
  if (open !== undefined) {
    try {
      return { owner, connection: open, answer: await exchange(open, options) };
    } catch (error) {
      await open[Symbol.asyncDispose]();
      // The other side may just have closed the connection. A new connection may still succeed.
      if (!(error instanceof EgressRefusal) || error.kind !== 'protocol') throw error;
    }
  }
  const socket = await openSocket(url, connector, options.stop.signal);
  const connection = connectionOver(socket, { origin, maxHeaderBytes, keep: owner !== undefined });
  try {
    return { owner, connection, answer: await exchange(connection, options) };
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

/** Returns the target of a redirect, validated like any URL. Throws EgressRefusal `redirect` or `blocked`. */
function nextUrl({ status, headers }: Exchange, url: URL, allow: readonly Cidr[]): URL {
  const { location } = headers;
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  const next = isRedirect && typeof location === 'string' ? URL.parse(location, url.href) : null;
  if (next === null) throw new EgressRefusal('redirect', 'The answer leads nowhere.', { status });
  return validateUrl(next.href, { allow });
}

async function read(
  answer: Exchange,
  url: URL,
  options: EgressRequest,
  stop: StopSignal,
): Promise<EgressHead & { body: Buffer; isCut: boolean }> {
  const {
    onBody,
    maxResponseBytes,
    whenLarger,
    minBytesPerSecond = 0,
    rateWindowMs = RATE_WINDOW_MS,
  } = options;
  const head: EgressHead = { status: answer.status, headers: answer.headers, finalUrl: url.href };
  const chunks: Buffer[] = [];
  const tooSlow = () => stop.stop(new EgressRefusal('too_slow', 'The body comes too slowly.'));
  using floor = minBytesPerSecond > 0 ? new RateFloor(minBytesPerSecond, rateWindowMs, tooSlow) : null;
  const isCut = await readBody(answer, {
    maxResponseBytes,
    whenLarger,
    onChunk: (chunk) => (onBody === undefined ? void chunks.push(chunk) : onBody(chunk, head)),
    floor,
    stop,
  });
  return { ...head, body: chunks.length === 0 ? emptyBody : Buffer.concat(chunks), isCut };
}

function pickPortable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => portableHeaders.has(name.toLowerCase())),
  );
}

function assertOwnOptions({ method, headers = {}, maxRedirects = 0 }: EgressRequest): void {
  assert(
    maxRedirects === 0 || method === 'GET' || method === 'HEAD',
    'A request with a body is never sent on by a redirect.',
  );
  for (const name in headers) assert(!ownHeaders.test(name), `The egress writes the header ${name} itself.`);
}
