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

/** How to reach a Renderkit. What is left out is read from the environment, or has a good default. */
export type ClientOptions = {
  /** Address of the service, a path included: RENDERKIT_BASE_URL when left out. */
  baseUrl?: string | undefined;
  /** RENDERKIT_API_KEY when left out. Null sends none, for a page that is signed in by a cookie. */
  apiKey?: string | null | undefined;
  /** Milliseconds that one try may take until its answer begins: 60,000 when left out. */
  timeout?: number | undefined;
  /** Tries after the first one, of what is safe to repeat: 4 when left out. */
  maxRetries?: number | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
  fetch?: Fetch | undefined;
  /** The program that uses the client, for the User-Agent. */
  appInfo?: { name: string; version?: string | undefined } | undefined;
  /** A key in a page can be read by everybody who opens it. Say so here where that is meant. */
  dangerouslyAllowBrowser?: boolean | undefined;
  /** Called before every try. */
  onRequest?: TransportOptions['onRequest'];
  /** Called with every answer; its body is not to be read. */
  onResponse?: TransportOptions['onResponse'];
};

const defaultTimeoutMs = 60_000;
const defaultMaxRetries = 4;

/**
 * A client of one Renderkit: `const rk = new Renderkit()`. It keeps no connection and may live as long as the program.
 *
 * @throws TypeError when it is not told where the service is, or has no key.
 */
export class Renderkit {
  readonly images: Images;
  readonly videos: Videos;
  readonly generations: Generations;
  readonly uploads: Uploads;
  readonly assets: Assets;
  readonly projects: Projects;
  readonly models: Models;
  readonly styles: Styles;
  readonly suggestions: Suggestions;
  readonly account: AccountResource;
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

  /** What a create would cost, validated as the create would be: `await rk.estimate({ kind: 'image', prompt })`. */
  estimate<Model extends ModelId>(
    params: EstimateParams<Model>,
    options?: RequestOptions,
  ): ApiPromise<Estimate> {
    return this.#creates.estimate(params, options);
  }

  /**
   * The bytes of an output, or of a preview: `await (await rk.fetchOutput(generation.outputs[0])).blob()`. Links of
   * outputs need no key, so none is sent. What fails in passing is asked for again.
   *
   * @throws RenderkitError `connection_failed`, or `not_found` where there is no file any more. The link may be old: retrieve the
   *   generation for a fresh one.
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

  /** A client that is the same but for these options. */
  withOptions(options: ClientOptions): Renderkit {
    return new Renderkit({ ...this.#options, ...options });
  }

  /** Anything of the API that has no method yet: `await rk.request<Thing>({ method: 'GET', path: '/v1/things' })`. */
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
    // Called as a plain function: a fetch that is a method of something loses its place otherwise.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    userAgent: isBrowser() ? null : userAgentOf(options.appInfo),
    onRequest: options.onRequest,
    onResponse: options.onResponse,
  };
}

/** Without the slash at its end, and without the `/v1` that paths begin with. */
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
