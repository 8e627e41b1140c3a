import type { Answer } from './api-promise.ts';
import { errorOfLink, errorOfResponse, RenderkitError } from './errors.ts';
import { version } from './version.ts';

/** What a single call may want to be different. Everything else stands on the client. */
export type RequestOptions = {
  /** Ends the request and its retries. What the server has accepted by then stays accepted. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one try may take until its answer begins. */
  timeout?: number | undefined;
  /** Tries after the first one. */
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
};

/** Options of a create. */
export type CreateOptions = RequestOptions & {
  /**
   * The same key with the same request is charged once, from whichever process, and answered with the same generation. A
   * random one is made for every create that comes without.
   */
  idempotencyKey?: string | undefined;
  /** Refused as `budget_exceeded` where it costs more, by the price that would be charged. */
  maxCredits?: number | undefined;
};

/** A fetch, as the platform has it or as a test brings it. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = {
  baseUrl: string;
  /** Null sends no key: for a page that is signed in by a cookie. */
  apiKey: string | null;
  timeout: number;
  maxRetries: number;
  headers: Record<string, string>;
  fetch: Fetch;
  /** Null in browsers, which name themselves. */
  userAgent: string | null;
  onRequest: ((request: { method: string; url: string; attempt: number }) => void) | undefined;
  onResponse:
    | ((response: Response, request: { method: string; url: string; attempt: number }) => void)
    | undefined;
};

/** One request of the API. */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From `/v1` on. */
  path: string;
  /** @internal Asked for in place of the path, and without the key, which links need not have. */
  link?: string;
  query?: Record<string, string | number | boolean | undefined> | undefined;
  /** A form and a file are sent as they are, all else as JSON. */
  body?: object | FormData | Blob | undefined;
  accept?: string;
  /** With a key a create may be sent again; without one only what reads may be. */
  idempotencyKey?: string | undefined;
  options?: RequestOptions | undefined;
};

/** A refusal for its rate was not carried out: whatever it was, it may be sent again. */
const refusedUnread = new Set([429]);
const passing = new Set([429, 500, 502, 503, 504]);

/** What parsers of addresses leave out, anywhere and at the end. */
const unreadShape = /[\t\n\r]|[\p{Cc} ]+$/gu;
/** What they take then for this folder or the one above, so that another thing would be asked for. */
const stepShape = /^(\.|%2e){1,2}$/i;

/** A link is not of the API, and may be as good as a key. */
const noHooks: Partial<Pick<TransportOptions, 'onRequest' | 'onResponse'>> = {};

const maxRetryAfterSeconds = 60;
const initialPauseMs = 500;
const maxPauseMs = 8_000;
/** @internal The most that a timer takes, 24.8 days: what is given more comes at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** @internal Sends requests, again where that is safe, and turns refusals into errors. */
export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** The answer's body as JSON, and the answer. Throws as `send` does. */
  async answer<T>(call: Call): Promise<Answer<T>> {
    const response = await this.send(call);
    try {
      return { data: (await response.json()) as T, response };
    } catch (cause) {
      throw new RenderkitError('connection_failed', 'The answer was cut off or is no JSON.', {
        cause,
        status: response.status,
        retryable: true,
        idempotencyKey: call.idempotencyKey,
      });
    }
  }

  /**
   * An answer of 2xx whose body was not read. Sends again after a pause when nothing came or the server was overloaded.
   *
   * @throws RenderkitError with the problem's code, `connection_failed`, or `aborted`.
   */
  async send(call: Call): Promise<Response> {
    const maxRetries = call.options?.maxRetries ?? this.options.maxRetries;
    const repeatable = call.method === 'GET' || call.idempotencyKey !== undefined;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(call, attempt);
      if (outcome instanceof Response) {
        if (outcome.ok) return outcome;
        const error =
          call.link === undefined
            ? await errorOfResponse(outcome, call.idempotencyKey)
            : await errorOfLink(outcome, call.link);
        const again = (repeatable ? passing : refusedUnread).has(outcome.status) && attempt < maxRetries;
        if (!again || (error.retryAfter ?? 0) > maxRetryAfterSeconds) throw error;
        await this.#pause(call, attempt, error.retryAfter);
        continue;
      }
      if (!outcome.retryable || !repeatable || attempt >= maxRetries) throw outcome;
      await this.#pause(call, attempt, undefined);
    }
  }

  async #attempt(call: Call, attempt: number): Promise<Response | RenderkitError> {
    const { method, link } = call;
    const url = link ?? this.addressOf(call.path, call.query);
    const { onRequest, onResponse } = link === undefined ? this.options : noHooks;
    const signal = call.options?.signal;
    if (hasEnded(signal)) return aborted(signal, call);
    // Only until the answer begins: a long poll and a stream say by themselves how long they may last.
    const tooSlow = new AbortController();
    const timeout = call.options?.timeout ?? this.options.timeout;
    const timer = setTimeout(() => tooSlow.abort(), Math.min(timeout, maxTimerMs));
    onRequest?.({ method, url, attempt });
    try {
      const response = await this.options.fetch(url, {
        method,
        headers: link === undefined ? this.#headers(call) : {},
        // A redirect would turn a POST into a GET and send the key elsewhere.
        redirect: link === undefined ? 'manual' : 'follow',
        signal: signal === undefined ? tooSlow.signal : AbortSignal.any([signal, tooSlow.signal]),
        ...(call.body === undefined
          ? {}
          : { body: isSentAsIs(call.body) ? call.body : JSON.stringify(call.body) }),
      });
      onResponse?.(response, { method, url, attempt });
      return response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
        ? redirected(url, response)
        : response;
    } catch (cause) {
      if (hasEnded(signal)) return aborted(signal, call);
      const message = tooSlow.signal.aborted
        ? `No answer within ${timeout} ms: ${method} ${url}`
        : `No answer from ${url}: ${reasonOf(cause)}`;
      return new RenderkitError('connection_failed', message, {
        cause,
        retryable: true,
        idempotencyKey: call.idempotencyKey,
      }) as RenderkitError;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The address of a path below the base, with what of the query is there.
   *
   * @throws RenderkitError `invalid_request` where a part of the path would lead to another one, or the whole to another host
   */
  addressOf(path: string, query: Call['query'] = {}): string {
    // Set behind a host, `@elsewhere` or `.elsewhere` would make another of it, and the key would go there.
    if (!path.startsWith('/'))
      throw new RenderkitError('invalid_request', `The path "${path}" does not begin with "/".`);
    const [read = ''] = path.replace(unreadShape, '').split(/[?#]/, 1);
    const step = read.split(/[/\\]/).find((part) => stepShape.test(part));
    if (step !== undefined)
      throw new RenderkitError('invalid_request', `"${step}" is no id, and no part of a path.`);
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) given.append(name, String(value));
    }
    const text = given.toString();
    return `${this.options.baseUrl}${path}${text === '' ? '' : `?${text}`}`;
  }

  #headers(call: Call): Record<string, string> {
    return {
      Accept: call.accept ?? 'application/json',
      ...(this.options.userAgent === null ? {} : { 'User-Agent': this.options.userAgent }),
      ...(this.options.apiKey === null ? {} : { Authorization: `Bearer ${this.options.apiKey}` }),
      ...contentTypeOf(call.body),
      ...(call.idempotencyKey === undefined ? {} : { 'Idempotency-Key': call.idempotencyKey }),
      ...this.options.headers,
      ...call.options?.headers,
    };
  }

  /** As long as the server asks, else twice as long each time, a part of it by chance. */
  async #pause(call: Call, attempt: number, retryAfter: number | undefined): Promise<void> {
    const growing = Math.min(initialPauseMs * 2 ** attempt, maxPauseMs) * (0.75 + Math.random() / 4);
    const signal = call.options?.signal;
    await sleep(retryAfter === undefined ? growing : retryAfter * 1000, signal);
    if (signal?.aborted === true) throw aborted(signal, call);
  }
}

/** @internal Waits so many milliseconds, less when the signal comes first. Never throws. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** @internal The name that the client gives itself, after that of the program that uses it. */
export function userAgentOf(appInfo: { name: string; version?: string | undefined } | undefined): string {
  const app = appInfo === undefined ? '' : `${appInfo.name}/${appInfo.version ?? '0'} `;
  const node = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
  return `${app}renderkit-js/${version}${node === undefined ? '' : ` node/${node}`}`;
}

function isSentAsIs(body: object): body is FormData | Blob {
  return body instanceof FormData || body instanceof Blob;
}

/** The platform writes that of a form, with its boundary. Of a file it is not trusted: servers read the bytes. */
function contentTypeOf(body: Call['body']): Record<string, string> {
  if (body === undefined || body instanceof FormData) return {};
  return { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' };
}

/** A function, because what was false before a wait may be true after it. */
function hasEnded(signal: AbortSignal | undefined): signal is AbortSignal {
  return signal?.aborted === true;
}

function aborted(signal: AbortSignal, call: Call): RenderkitError {
  return new RenderkitError('aborted', 'The caller ended the request.', {
    cause: signal.reason,
    idempotencyKey: call.idempotencyKey,
  }) as RenderkitError;
}

function redirected(url: string, response: Response): RenderkitError {
  const target = response.headers.get('location');
  const where = target === null ? 'elsewhere' : `to ${target}`;
  return new RenderkitError('invalid_request', `${url} redirects ${where}: use that as baseUrl.`, {
    status: response.status,
  }) as RenderkitError;
}

/** Fetch hides what happened in a cause: "fetch failed" alone helps nobody. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
