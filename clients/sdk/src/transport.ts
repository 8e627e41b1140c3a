import type { Answer } from './api-promise.ts';
import { errorOfLink, errorOfResponse, RenderkitError } from './errors.ts';
import { version } from './version.ts';

/** Options of a single request. They override the options of the client. */
export type RequestOptions = {
  /** Aborts the request and its retries. What the server has accepted until then remains accepted. */
  signal?: AbortSignal | undefined;
  /** How long one try may take until its response begins, in milliseconds. */
  timeout?: number | undefined;
  /** Number of retries. */
  maxRetries?: number | undefined;
  /** Headers to send in addition to those of the client. */
  headers?: Record<string, string> | undefined;
};

/** Options of a create. */
export type CreateOptions = RequestOptions & {
  /**
   * Idempotency key. The same request with the same key, from any process, is charged once and returns the same
   * generation. When left out, each create gets a random key.
   */
  idempotencyKey?: string | undefined;
  /**
   * The highest price to accept, in credits. The service refuses a create that would cost more, with `budget_exceeded`.
   */
  maxCredits?: number | undefined;
};

/** A `fetch` function: the platform's own, or one that a test provides. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = {
  baseUrl: string;
  /** `null` sends no key, for a page that is signed in by a cookie. */
  apiKey: string | null;
  timeout: number;
  maxRetries: number;
  headers: Record<string, string>;
  fetch: Fetch;
  /** `null` in browsers, which set their own User-Agent. */
  userAgent: string | null;
  onRequest: ((request: { method: string; url: string; attempt: number }) => void) | undefined;
  onResponse:
    | ((response: Response, request: { method: string; url: string; attempt: number }) => void)
    | undefined;
};

/** One request to the API. */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, beginning with `/v1`. */
  path: string;
  /** @internal Address to request instead of `path`. Sent without the key, because a link needs none. */
  link?: string;
  /** Query parameters. `undefined` values are left out. */
  query?: Record<string, string | number | boolean | undefined> | undefined;
  /** Form data and blobs are sent unchanged, everything else as JSON. */
  body?: object | FormData | Blob | undefined;
  accept?: string;
  /**
   * With an idempotency key a create can be retried. Without one, only GET requests are retried (and any request after
   * 429).
   */
  idempotencyKey?: string | undefined;
  options?: RequestOptions | undefined;
};

/** A rate-limited request was not carried out, so any such request may be retried. */
const refusedUnread = new Set([429]);
/**
 * Statuses after which the client repeats a request that is safe to repeat. `retryableStatuses` in `errors.ts` has the
 * same statuses for callers.
 */
const passing = new Set([429, 500, 502, 503, 504]);

/** Characters that URL parsers remove, inside a path or at its end. */
const unreadShape = /[\t\n\r]|[\p{Cc} ]+$/gu;
/**
 * Path segments that URL parsers read as this folder or the folder above. The request would then go to another path.
 */
const stepShape = /^(\.|%2e){1,2}$/i;

/** No hooks for links: a link is not part of the API, and may give access like a key. */
const noHooks: Partial<Pick<TransportOptions, 'onRequest' | 'onResponse'>> = {};

const maxRetryAfterSeconds = 60;
const initialPauseMs = 500;
const maxPauseMs = 8_000;
/** @internal The longest delay of a timer, 24.8 days. A timer with a longer delay fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** @internal Sends requests, retries them where that is safe, and turns error responses into errors. */
export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** Sends a request and returns the response with its body parsed from JSON. Throws as `send` does. */
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
   * Sends a request and returns a response with status 2xx, whose body is not read yet. After a pause, retries when no
   * response arrived or the server was overloaded.
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
    // The timeout ends when the response begins: a long poll and a stream have their own limits.
    const tooSlow = new AbortController();
    const timeout = call.options?.timeout ?? this.options.timeout;
    const timer = setTimeout(() => tooSlow.abort(), Math.min(timeout, maxTimerMs));
    onRequest?.({ method, url, attempt });
    try {
      const response = await this.options.fetch(url, {
        method,
        headers: link === undefined ? this.#headers(call) : {},
        // Following a redirect would turn a POST into a GET and send the key to another server.
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
   * Returns the address of a path below the base address, with the query parameters that are defined.
   *
   * @throws RenderkitError `invalid_request` where a segment would lead to another path, or the path to another host
   */
  addressOf(path: string, query: Call['query'] = {}): string {
    // Appended to a host, `@elsewhere` or `.elsewhere` would change the host, and the key would go there.
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

  /** Waits as long as the server asks. Else each pause is twice as long as the one before, with a random part. */
  async #pause(call: Call, attempt: number, retryAfter: number | undefined): Promise<void> {
    const growing = Math.min(initialPauseMs * 2 ** attempt, maxPauseMs) * (0.75 + Math.random() / 4);
    const signal = call.options?.signal;
    await sleep(retryAfter === undefined ? growing : retryAfter * 1000, signal);
    if (signal?.aborted === true) throw aborted(signal, call);
  }
}

/** @internal Waits this many milliseconds, or until the signal aborts. Never throws. */
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

/** @internal Returns the User-Agent: the program that uses the client, then the client itself. */
export function userAgentOf(appInfo: { name: string; version?: string | undefined } | undefined): string {
  const app = appInfo === undefined ? '' : `${appInfo.name}/${appInfo.version ?? '0'} `;
  const node = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
  return `${app}renderkit-js/${version}${node === undefined ? '' : ` node/${node}`}`;
}

function isSentAsIs(body: object): body is FormData | Blob {
  return body instanceof FormData || body instanceof Blob;
}

/**
 * Returns the Content-Type header. The platform sets the header of a form, with its boundary. The type of a file is not
 * trusted: servers read the bytes.
 */
function contentTypeOf(body: Call['body']): Record<string, string> {
  if (body === undefined || body instanceof FormData) return {};
  return { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' };
}

/** A function, so that TypeScript does not assume the earlier value after an `await`. */
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

/**
 * Returns the reason of a failed fetch. `fetch` stores the reason in `cause`; its own message "fetch failed" does not
 * help.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
