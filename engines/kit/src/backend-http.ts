import { Pool } from 'undici';
import { EngineFailure, type BackendAccess } from './driver.ts';
import { exchange, type BackendAnswer, type Exchange, type ExchangeRequest } from './http-exchange.ts';
import { multipartBody, type MultipartPart } from './multipart.ts';
import type { JsonValue } from './route.ts';

const connectMs = 5_000;
const maxConnections = 64;
const maxHeaderBytes = 32 * 1024;
const maxRedirects = 3;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/**
 * Milliseconds for the answer to a submission. The caller's signal ends the wait sooner, by the time-outs of its route.
 */
export const submitAnswerMs = 24 * 60 * 60_000;
const defaultAnswerMs = 30_000;
const defaultSilentMs = 30_000;
const defaultTotalMs = 5 * 60_000;
const defaultMaxBytes = 16 * 1024 * 1024;
/** Shorter values are not treated as secrets: replacing them would blank out half of a message. */
const minSecretCharacters = 6;
const maxQuotedCharacters = 300;

export interface BackendRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path below the backend's address, with its query; or a whole address that an answer contained. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** At most one of these three. */
  readonly json?: JsonValue;
  readonly multipart?: readonly MultipartPart[];
  readonly bytes?: Buffer;
  /** Milliseconds from the request's last byte to the head of the answer; default 30,000. */
  readonly answerMs?: number;
  /** Milliseconds without a byte in either direction while sending and reading; default 30,000. */
  readonly silentMs?: number;
  /**
   * Milliseconds to send the whole request. After `answerMs`, the whole answer has the same time. Large bodies get
   * more, by their bytes. Default 300,000. Does not limit a body that `onBody` takes: its caller does that.
   */
  readonly totalMs?: number;
  /** Maximum bytes of the answer; default 16 MiB. */
  readonly maxBytes?: number;
  /** Takes the body of an answer of 200 or 206 in chunks as they arrive. The body is then never kept in memory. */
  readonly onBody?: (chunk: Buffer, answer: BackendAnswer) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/** HTTP to one backend, at the address, with the headers and the key that its operator configured. */
export interface BackendHttp extends AsyncDisposable {
  readonly backend: string;
  readonly origin: string;
  /**
   * Sends one request. Returns an answer of any status. Follows a redirect of a GET on the backend's own origin;
   * returns any other redirect as the answer.
   * @throws EngineFailure blame `backend`, code `engine_unavailable`: `sent` is `no` where no byte left, else
   * `unknown`. The signal's reason
   */
  send(request: BackendRequest): Promise<BackendAnswer>;
  /**
   * Sends one request over a new connection, so that the backend cannot have closed it before. Resolves when the whole
   * request is sent; `answer` resolves later. @throws as `send`
   */
  begin(request: BackendRequest): Promise<{ readonly answer: Promise<BackendAnswer> }>;
  /** Returns whether an address that an answer contained is on the backend's own origin. */
  isOwn(address: string): boolean;
  /** Prepares a text of the engine for an operator's message: one line, shortened, without the key. */
  quote(text: string): string;
}

export interface BackendHttpOptions {
  /** The scheme before the secret: `Authorization: Bearer …`. Default Bearer. */
  readonly scheme?: 'Bearer' | 'Key' | undefined;
}

/**
 * Opens HTTP to a backend. Its address comes from the operator, so private networks and http are allowed. Sends nothing
 * to another origin and nothing twice. `download.ts` fetches results, also from other origins.
 */
export function createBackendHttp(access: BackendAccess, options: BackendHttpOptions = {}): BackendHttp {
  return new OperatorsBackend(access, options.scheme ?? 'Bearer');
}

const poolOptions: Pool.Options = {
  pipelining: 1,
  // `exchange` in `http-exchange.ts` has its own time-outs.
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: { timeout: connectMs },
  maxHeaderSize: maxHeaderBytes,
  allowH2: false,
};

class OperatorsBackend implements BackendHttp {
  readonly backend: string;
  readonly origin: string;
  readonly quote: (text: string) => string;
  readonly #basePath: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #pool: Pool;
  readonly #alone = new Set<Pool>();

  constructor(access: BackendAccess, scheme: string) {
    const { origin, pathname } = new URL(access.url);
    this.backend = access.name;
    this.origin = origin;
    this.quote = createQuote(access);
    this.#basePath = pathname.replace(/\/+$/, '');
    this.#headers = headersOf(access, scheme);
    this.#pool = new Pool(origin, { ...poolOptions, connections: maxConnections });
  }

  async send(request: BackendRequest): Promise<BackendAnswer> {
    const { method = 'GET' } = request;
    let path = this.#pathOf(request.to);
    for (let hop = 0; ; hop += 1) {
      const answer = await this.#start(this.#pool, request, path).answer.catch((error: unknown) => {
        if (!mayAskAgain(request, error)) throw error;
        return this.#start(this.#pool, request, path).answer;
      });
      const next = method === 'GET' ? redirectOf(answer, this.origin + path) : null;
      if (next === null || !this.isOwn(next) || hop === maxRedirects) return answer;
      path = this.#pathOf(next);
    }
  }

  async begin(request: BackendRequest): Promise<{ readonly answer: Promise<BackendAnswer> }> {
    const path = this.#pathOf(request.to);
    const alone = new Pool(this.origin, { ...poolOptions, connections: 1 });
    this.#alone.add(alone);
    const { sent, answer } = this.#start(alone, request, path);
    const close = () => {
      this.#alone.delete(alone);
      return alone.destroy();
    };
    void answer.then(close, close);
    await sent;
    return { answer };
  }

  isOwn(address: string): boolean {
    return URL.parse(address)?.origin === this.origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#pool, ...this.#alone].map((pool) => pool.destroy()));
  }

  #pathOf(to: string): string {
    if (to.startsWith('/')) return this.#basePath + to;
    const address = URL.parse(to);
    if (address?.origin === this.origin) return address.pathname + address.search;
    throw new EngineFailure(`${this.backend} names an address that is not its own.`, {
      blame: 'backend',
      code: 'engine_unavailable',
      sent: 'no',
    });
  }

  #start(pool: Pool, request: BackendRequest, path: string): Exchange {
    const { body, headers } = bodyOf(request);
    return exchange(pool, {
      backend: this.backend,
      method: request.method ?? 'GET',
      path,
      headers: { accept: '*/*', ...headers, ...request.headers, ...this.#headers },
      body,
      answerMs: request.answerMs ?? defaultAnswerMs,
      silentMs: request.silentMs ?? defaultSilentMs,
      totalMs: request.totalMs ?? defaultTotalMs,
      maxBytes: request.maxBytes ?? defaultMaxBytes,
      onBody: request.onBody,
      signal: request.signal,
    });
  }
}

/**
 * Returns whether to repeat a request once. An idle connection that the other side closed is noticed only on use. Only
 * a GET without `onBody` is repeated.
 */
function mayAskAgain({ method = 'GET', onBody }: BackendRequest, error: unknown): boolean {
  if (method !== 'GET' || onBody !== undefined || !(error instanceof EngineFailure)) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return error.sent === 'unknown' && (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE');
}

/** Returns the address that an answer redirects to, or `null`. */
export function redirectOf(answer: BackendAnswer, from: string): string | null {
  const { location } = answer.headers;
  if (!redirectStatuses.has(answer.status) || typeof location !== 'string') return null;
  return URL.parse(location, from)?.href ?? null;
}

function bodyOf(request: BackendRequest): Pick<ExchangeRequest, 'body' | 'headers'> {
  const { json, multipart, bytes } = request;
  if (json !== undefined) {
    return { body: Buffer.from(JSON.stringify(json)), headers: { 'content-type': 'application/json' } };
  }
  if (multipart !== undefined) return multipartBody(multipart);
  return { body: bytes ?? null, headers: {} };
}

function headersOf(access: BackendAccess, scheme: string): Record<string, string> {
  const headers: Record<string, string> = {};
  if (access.secret !== undefined) headers['authorization'] = `${scheme} ${access.secret}`;
  for (const [name, value] of Object.entries(access.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

function createQuote(access: BackendAccess): (text: string) => string {
  const secrets = [access.secret ?? '', ...Object.values(access.headers)]
    // In `Bearer KEY`, the second word is the key.
    .flatMap((value) => [value, value.replace(/^\S+ /, '')])
    .filter((value) => value.length >= minSecretCharacters);
  return (text) => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, '…');
    clean = clean.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
    return clean.length > maxQuotedCharacters ? `${clean.slice(0, maxQuotedCharacters)}…` : clean;
  };
}
