import { ApiPromise } from './api-promise.ts';
import { RenderkitError } from './errors.ts';
import type { References, WithFiles } from './files.ts';
import type { Follower, GenerationEvent, StreamOptions, SucceededGeneration, WaitOptions } from './follow.ts';
import type {
  CreateEditRequest,
  CreateFrameRequest,
  CreateImageRequest,
  CreateVideoRequest,
  Estimate,
  EstimateRequest,
  ExtendVideoRequest,
  Frame,
  Generation,
  GenerationRequest,
  ListGenerationsQuery,
  Progress,
} from './objects.generated.ts';
import { PagePromise } from './page.ts';
import type { CreateOptions, RequestOptions, Transport } from './transport.ts';

/**
 * The models that your program declares. `renderkit models types` writes this declaration. The editor then completes
 * `model`, and TypeScript checks `options` against it. `declare module 'renderkit' { interface RenderkitModels {
 * 'atelier-1': { options: { seed?: number } } } }`.
 */
// oxlint-disable-next-line typescript/no-empty-interface -- it is there to be merged into
export interface RenderkitModels {}

/** Any string. The editor suggests the names of `RenderkitModels`. */
// oxlint-disable-next-line typescript/no-redundant-type-constituents -- there are names as soon as somebody declares some
export type ModelId = keyof RenderkitModels | (string & {});

/** The type of `options`: the declared type for a declared model, else `Any`. */
type OptionsOf<Model, Any> = Model extends keyof RenderkitModels
  ? RenderkitModels[Model] extends { options: infer Options }
    ? Options
    : Any
  : Any;

type WithModel<T, Model> = T extends { model?: unknown; options?: infer Any }
  ? Omit<T, 'model' | 'options'> & {
      model?: Model | undefined;
      options?: OptionsOf<Model, Any> | undefined;
    }
  : T;

/**
 * Parameters of `images.create` and `images.run`: the fields of the API, with bytes allowed wherever the API takes a
 * reference.
 */
export type ImageParams<Model extends ModelId = ModelId> = WithModel<WithFiles<CreateImageRequest>, Model>;
/** Parameters of `images.createEdit` and `images.edit`. */
export type EditParams<Model extends ModelId = ModelId> = WithModel<WithFiles<CreateEditRequest>, Model>;
/** Parameters of `videos.create` and `videos.run`. */
export type VideoParams<Model extends ModelId = ModelId> = WithModel<WithFiles<CreateVideoRequest>, Model>;
/** Parameters of `videos.extend` and `videos.runExtend`. */
export type ExtendParams = ExtendVideoRequest;
/** Parameters of `estimate`: the fields of a create, and its `kind`. */
export type EstimateParams<Model extends ModelId = ModelId> = EstimateRequest extends infer Each
  ? Each extends EstimateRequest
    ? WithModel<WithFiles<Each>, Model>
    : never
  : never;

/** Options of a create that waits. `timeout` limits the wait for the whole generation. */
export type RunOptions = WaitOptions & Omit<CreateOptions, 'timeout'>;

/**
 * Returns the header for the price limit. Credits have three decimals. A limit of 1e9 or more means no limit.
 * `checkMaxCost` in `service/src/budgets/budget.ts` refuses a higher price.
 */
function limitHeader(maxCredits: number | undefined): Record<string, string> {
  if (maxCredits === undefined || maxCredits >= 1e9) return {};
  return { 'X-Renderkit-Max-Credits': String(Math.floor(maxCredits * 1_000 + 1e-6) / 1_000) };
}

/**
 * @internal The code that all creates share. `transport.ts` retries a create, and `follow.ts` waits for its generation.
 */
export class Creates {
  readonly #transport: Transport;
  readonly #references: References;
  readonly #follower: Follower;

  constructor(transport: Transport, references: References, follower: Follower) {
    this.#transport = transport;
    this.#references = references;
    this.#follower = follower;
  }

  create(path: string, params: object, options: CreateOptions = {}): ApiPromise<Generation> {
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    const send = async () => {
      const body = await this.#references.resolve(params, { signal: options.signal });
      const { maxCredits, headers, ...rest } = options;
      const sent = { ...rest, headers: { ...limitHeader(maxCredits), ...headers } };
      return this.#transport.answer<Generation>({
        method: 'POST',
        path,
        body,
        idempotencyKey,
        options: sent,
      });
    };
    return new ApiPromise(send());
  }

  async run(path: string, params: object, options: RunOptions = {}): Promise<SucceededGeneration> {
    const { timeout: _patience, ...createOptions } = options;
    const { idempotencyKey = crypto.randomUUID() } = options;
    const { id } = await this.create(path, params, { ...createOptions, idempotencyKey });
    return this.#follower.wait(id, options).catch((error: unknown) => {
      if (!RenderkitError.is(error)) throw error;
      // The generation is paid. `run` with another key would create and charge a second one.
      const retryable = error.retryable && options.idempotencyKey !== undefined;
      throw Object.assign(error, { idempotencyKey, retryable });
    });
  }

  estimate(params: object, options?: RequestOptions): ApiPromise<Estimate> {
    const send = async () => {
      const body = await this.#references.resolve(params, options);
      return this.#transport.answer<Estimate>({ method: 'POST', path: '/v1/estimate', body, options });
    };
    return new ApiPromise(send());
  }
}

/** Creates pictures from text and edits pictures. */
export class Images {
  readonly #creates: Creates;

  /** @internal */
  constructor(creates: Creates) {
    this.#creates = creates;
  }

  /**
   * Starts to make pictures from text and returns the queued generation at once: `await rk.images.create({ prompt: 'a
   * lighthouse' })`.
   */
  create<Model extends ModelId>(params: ImageParams<Model>, options?: CreateOptions): ApiPromise<Generation> {
    return this.#creates.create('/v1/images/generations', params, options);
  }

  /**
   * Makes pictures from text and waits for the result: `(await rk.images.run({ prompt: 'a lighthouse'
   * })).outputs[0].url`.
   *
   * @throws RenderkitError as `create` and `generations.wait` do.
   */
  run<Model extends ModelId>(params: ImageParams<Model>, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/images/generations', params, options);
  }

  /**
   * Starts to edit a picture and returns the queued generation at once: `await rk.images.createEdit({ image, prompt:
   * 'in winter' })`.
   */
  createEdit<Model extends ModelId>(
    params: EditParams<Model>,
    options?: CreateOptions,
  ): ApiPromise<Generation> {
    return this.#creates.create('/v1/images/edits', params, options);
  }

  /**
   * Edits a picture, or a masked part of it, and waits for the result: `await rk.images.edit({ image, prompt: 'in
   * winter' })`.
   *
   * @throws RenderkitError as `createEdit` and `generations.wait` do.
   */
  edit<Model extends ModelId>(params: EditParams<Model>, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/images/edits', params, options);
  }
}

/** Creates videos, extends videos and takes frames from them. */
export class Videos {
  readonly #creates: Creates;
  readonly #transport: Transport;

  /** @internal */
  constructor(creates: Creates, transport: Transport) {
    this.#creates = creates;
    this.#transport = transport;
  }

  /**
   * Starts to make a video and returns the queued generation at once: `await rk.videos.create({ prompt: 'clouds drift',
   * duration: 5 })`.
   */
  create<Model extends ModelId>(params: VideoParams<Model>, options?: CreateOptions): ApiPromise<Generation> {
    return this.#creates.create('/v1/videos/generations', params, options);
  }

  /**
   * Makes a video and waits for the result: `await rk.videos.run({ prompt: 'clouds drift', duration: 5 })`.
   *
   * @throws RenderkitError as `create` and `generations.wait` do.
   */
  run<Model extends ModelId>(params: VideoParams<Model>, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/videos/generations', params, options);
  }

  /**
   * Starts to extend a finished video and returns the queued generation at once: `await rk.videos.extend({ video_id,
   * prompt: 'the sun sets' })`.
   */
  extend(params: ExtendParams, options?: CreateOptions): ApiPromise<Generation> {
    return this.#creates.create('/v1/videos/extend', params, options);
  }

  /**
   * Extends a finished video and waits for the result: `await rk.videos.runExtend({ video_id, prompt: 'the sun sets'
   * })`.
   *
   * @throws RenderkitError as `extend` and `generations.wait` do.
   */
  runExtend(params: ExtendParams, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/videos/extend', params, options);
  }

  /**
   * Makes a picture from one frame of a video. Free of charge: `await rk.videos.createFrame(video.outputs[0].id, {
   * time: 'last' })`.
   */
  createFrame(videoId: string, body: CreateFrameRequest, options?: RequestOptions): ApiPromise<Frame> {
    const path = `/v1/videos/${encodeURIComponent(videoId)}/frames`;
    return new ApiPromise(this.#transport.answer({ method: 'POST', path, body, options }));
  }
}

/** All generations of the account. */
export class Generations {
  readonly #transport: Transport;
  readonly #follower: Follower;

  /** @internal */
  constructor(transport: Transport, follower: Follower) {
    this.#transport = transport;
    this.#follower = follower;
  }

  /** Returns the current state of a generation, with fresh links: `(await rk.generations.retrieve(id)).status`. */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Generation> {
    const path = `/v1/generations/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /**
   * Returns the request that created a generation, and a request that repeats it: `(await
   * rk.generations.request(id)).seed`. `repeat` is the body of a create with this seed.
   */
  request(id: string, options?: RequestOptions): ApiPromise<GenerationRequest> {
    const path = `/v1/generations/${encodeURIComponent(id)}/request`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /**
   * Lists all generations over all pages, newest first: `for await (const generation of rk.generations.list({ status:
   * 'failed' }))`.
   */
  list(query: ListGenerationsQuery = {}, options?: RequestOptions): PagePromise<Generation> {
    return PagePromise.of((page) =>
      this.#transport.answer({
        method: 'GET',
        path: '/v1/generations',
        query: { ...query, page: page ?? query.page },
        options,
      }),
    );
  }

  /** Cancels a generation that waits in the queue. Throws `conflict` once the generation was sent to an engine. */
  cancel(id: string, options?: RequestOptions): ApiPromise<Generation> {
    const path = `/v1/generations/${encodeURIComponent(id)}/cancel`;
    return new ApiPromise(this.#transport.answer({ method: 'POST', path, options }));
  }

  /**
   * Stops a generation that may already run; the service asks its engine to stop. Throws `conflict` where the engine
   * cannot stop it.
   */
  stop(id: string, options?: RequestOptions): ApiPromise<Generation> {
    const path = `/v1/generations/${encodeURIComponent(id)}/stop`;
    return new ApiPromise(this.#transport.answer({ method: 'POST', path, options }));
  }

  /** Returns the progress of a generation: `(await rk.generations.progress(id)).stage`. */
  progress(id: string, options?: RequestOptions): ApiPromise<Progress> {
    const path = `/v1/generations/${encodeURIComponent(id)}/progress`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /**
   * Waits for a generation and returns it when it has succeeded. Any process may have started it: `await
   * rk.generations.wait(queued.id)`.
   *
   * @throws RenderkitError `generation_failed` or `generation_canceled` with the generation; `still_running` when
   *   `timeout` has passed; `aborted` by the signal; or the reason why the service cannot be reached. Each error has
   *   `generationId`.
   */
  wait(id: string, options?: WaitOptions): Promise<SucceededGeneration> {
    return this.#follower.wait(id, options);
  }

  /**
   * Yields every event as it happens. The first is the current state, the last is `done`: `for await (const event of
   * rk.generations.stream(id)) if (event.type === 'progress') …`.
   */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<GenerationEvent, void, undefined> {
    return this.#follower.events(id, options);
  }
}
