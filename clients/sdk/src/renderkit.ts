import { ApiPromise } from './api-promise.ts';
import { AccountResource, Models, Styles, Suggestions } from './catalog.ts';
import { Events } from './events.ts';
import { References } from './files.ts';
import { Follower, type Preview } from './follow.ts';
import { Creates, type EstimateParams, Generations, Images, type ModelId, Videos } from './generations.ts';
import { Assets, Projects, Uploads } from './library.ts';
import type { Estimate, Output } from './objects.generated.ts';
import {
  type Call,
  type Fetch,
  type RequestOptions,
  Transport,
  type TransportOptions,
  userAgentOf,
} from './transport.ts';

export { Renderkit as default };
export type { ApiPromise, RateLimit, WithResponse } from './api-promise.ts';
export { type FieldError, RenderkitError, type RenderkitErrorCode } from './errors.ts';
export type { AccountEvent, EventStreamOptions } from './events.ts';
export type { FileInput, Reference } from './files.ts';
export type { GenerationEvent, Preview, StreamOptions, SucceededGeneration, WaitOptions } from './follow.ts';
export type {
  EditParams,
  EstimateParams,
  ExtendParams,
  ImageParams,
  RenderkitModels,
  RunOptions,
  VideoParams,
} from './generations.ts';
export type * from './objects.generated.ts';
export type { Page, PagePromise } from './page.ts';
export type { CreateOptions, Fetch, RequestOptions } from './transport.ts';

/** Options of the client. An option that is left out is read from the environment or has a default. */
export type ClientOptions = {
  /** Address of the service, including a path if there is one. RENDERKIT_BASE_URL when left out. */
  baseUrl?: string | undefined;
  /** The API key. RENDERKIT_API_KEY when left out. `null` sends no key, for a page that is signed in by a cookie. */
  apiKey?: string | null | undefined;
  /** How long one try may take until its response begins, in milliseconds. 60,000 when left out. */
  timeout?: number | undefined;
  /** Number of retries of a request that is safe to repeat. 4 when left out. */
  maxRetries?: number | undefined;
  /** Headers to send with every request. */
  headers?: Record<string, string> | undefined;
  /** The `fetch` to use. The platform's own when left out. */
  fetch?: Fetch | undefined;
  /** Name and version of your program, for the User-Agent header. */
  appInfo?: { name: string; version?: string | undefined } | undefined;
  /**
   * Allows an API key in a browser, where everybody who opens the page can read the key. Set `true` only if that is
   * intended.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
  /** Called before every try. */
  onRequest?: TransportOptions['onRequest'];
  /** Called with every response. The callback must not read the body. */
  onResponse?: TransportOptions['onResponse'];
};

const defaultTimeoutMs = 60_000;
/** `transport.ts` decides which requests are retried, and when. */
const defaultMaxRetries = 4;

/**
 * A client of one Renderkit service: `const rk = new Renderkit()`. The client holds no open connection, so a program
 * may keep it while it runs.
 *
 * @throws TypeError when the address or the key is missing, when the address is not valid, or when a browser would
 *   expose the key.
 */
export class Renderkit {
  /** Creates and edits pictures. */
  readonly images: Images;
  /** Creates and extends videos, and takes frames from them. */
  readonly videos: Videos;
  /** Reads, waits for, streams, cancels and stops generations. */
  readonly generations: Generations;
  /** Uploads files for use in requests. */
  readonly uploads: Uploads;
  /** The library of generated pictures and videos. */
  readonly assets: Assets;
  /** Folders for generations. */
  readonly projects: Projects;
  /** The models that can render. */
  readonly models: Models;
  /** Styles for generations. */
  readonly styles: Styles;
  /** Building blocks for prompts. */
  readonly suggestions: Suggestions;
  /** The account that owns the key. */
  readonly account: AccountResource;
  /** Events of the account, as a list and as a stream. */
  readonly events: Events;
  readonly #options: ClientOptions;
  readonly #transport: Transport;
  readonly #creates: Creates;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    const transport = new Transport(transportOptions(options));
    const follower = new Follower(transport);
    this.#transport = transport;
    this.uploads = new Uploads(transport);
    const references = new References((file, fileName, { signal } = {}) =>
      this.uploads.create(file, { fileName, signal }),
    );
    this.#creates = new Creates(transport, references, follower);
    this.images = new Images(this.#creates);
    this.videos = new Videos(this.#creates, transport);
    this.generations = new Generations(transport, follower);
    this.assets = new Assets(transport);
    this.projects = new Projects(transport);
    this.models = new Models(transport, '/v1/models');
    this.styles = new Styles(transport, '/v1/styles');
    this.suggestions = new Suggestions(transport, '/v1/suggestions');
    this.account = new AccountResource(transport);
    this.events = new Events(transport);
  }

  /**
   * Returns what a create would cost, with the same validation as the create: `await rk.estimate({ kind: 'image',
   * prompt })`.
   */
  estimate<Model extends ModelId>(
    params: EstimateParams<Model>,
    options?: RequestOptions,
  ): ApiPromise<Estimate> {
    return this.#creates.estimate(params, options);
  }

  /**
   * Downloads an output or a preview: `await (await rk.fetchOutput(generation.outputs[0])).blob()`. Links of outputs
   * need no key, so the client sends none. Temporary failures are retried.
   *
   * @throws RenderkitError `connection_failed`, or `not_found` where the file no longer exists. The link may have
   *   expired: retrieve the generation for a fresh one.
   */
  async fetchOutput(
    output: Pick<Output, 'url'> | Preview,
    options: { signal?: AbortSignal } = {},
  ): Promise<Response> {
    if ('fetch' in output) return output.fetch();
    const { baseUrl } = this.#transport.options;
    const base = baseUrl.startsWith('/')
      ? (globalThis as unknown as { location: { href: string } }).location.href
      : baseUrl;
    const link = new URL(output.url, base).href;
    return this.#transport.send({ method: 'GET', path: '', link, options });
  }

  /** Returns a new client with the same options, except for these. */
  withOptions(options: ClientOptions): Renderkit {
    return new Renderkit({ ...this.#options, ...options });
  }

  /**
   * Sends a request to a part of the API that has no method yet: `await rk.request<Thing>({ method: 'GET', path:
   * '/v1/things' })`.
   */
  request<T>(call: Omit<Call, 'accept' | 'link'>): ApiPromise<T> {
    return new ApiPromise(this.#transport.answer(call));
  }
}

function transportOptions(options: ClientOptions): TransportOptions {
  const environment =
    (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
  const apiKey = options.apiKey === undefined ? environment['RENDERKIT_API_KEY'] : options.apiKey;
  if (apiKey === undefined || apiKey === '')
    throw new TypeError('No API key: set RENDERKIT_API_KEY, or give { apiKey }.');
  if (apiKey !== null && isBrowser() && options.dangerouslyAllowBrowser !== true)
    throw new TypeError(
      'An API key in a page can be read by everybody who opens it. Call from a server, or set dangerouslyAllowBrowser.',
    );
  return {
    baseUrl: checkedBaseUrl(options.baseUrl ?? environment['RENDERKIT_BASE_URL']),
    apiKey,
    timeout: options.timeout ?? defaultTimeoutMs,
    maxRetries: options.maxRetries ?? defaultMaxRetries,
    headers: options.headers ?? {},
    // Called as a plain function, because a `fetch` that is called as a method of another object fails.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    userAgent: isBrowser() ? null : userAgentOf(options.appInfo),
    onRequest: options.onRequest,
    onResponse: options.onResponse,
  };
}

/** Checks the address and removes a slash or `/v1` at its end, because paths begin with `/v1`. */
function checkedBaseUrl(text: string | undefined): string {
  if (text === undefined || text === '')
    throw new TypeError('No address: set RENDERKIT_BASE_URL, or give { baseUrl }, as http://127.0.0.1:8080.');
  if (!text.startsWith('/') && !/^https?:\/\/[^/]/.test(text))
    throw new TypeError(`baseUrl must begin with http:// or https://, not ${JSON.stringify(text)}.`);
  return text.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function isBrowser(): boolean {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  return window !== undefined && document !== undefined;
}
