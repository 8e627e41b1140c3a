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
 * Filled by a declaration of your own, which `renderkit models types` writes: then the editor completes `model`, and `options`
 * are checked against it. `declare module 'renderkit' { interface RenderkitModels { 'atelier-1': { options: { seed?: number } } } }`.
 */
// oxlint-disable-next-line typescript/no-empty-interface -- it is there to be merged into
export interface RenderkitModels {}

/** Any text, with the names of `RenderkitModels` for the editor. */
// oxlint-disable-next-line typescript/no-redundant-type-constituents -- there are names as soon as somebody declares some
export type ModelId = keyof RenderkitModels | (string & {});

/** What a model that was declared takes; of others anything. */
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

/** What a create takes: the fields of the API, with bytes allowed wherever a reference is. */
export type ImageParams<Model extends ModelId = ModelId> = WithModel<WithFiles<CreateImageRequest>, Model>;
export type EditParams<Model extends ModelId = ModelId> = WithModel<WithFiles<CreateEditRequest>, Model>;
export type VideoParams<Model extends ModelId = ModelId> = WithModel<WithFiles<CreateVideoRequest>, Model>;
export type ExtendParams = ExtendVideoRequest;
export type EstimateParams<Model extends ModelId = ModelId> = EstimateRequest extends infer Each
  ? Each extends EstimateRequest
    ? WithModel<WithFiles<Each>, Model>
    : never
  : never;

/** Options of a create that waits: `timeout` is the patience with the whole generation. */
export type RunOptions = WaitOptions & Omit<CreateOptions, 'timeout'>;

/** Credits have three decimals; a limit above all prices is none. */
function limitHeader(maxCredits: number | undefined): Record<string, string> {
  if (maxCredits === undefined || maxCredits >= 1e9) return {};
  return { 'X-Renderkit-Max-Credits': String(Math.floor(maxCredits * 1_000 + 1e-6) / 1_000) };
}

/** @internal What creates have in common. */
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
      // It is paid: `run` under another key would pay for another one.
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

/** Pictures from text, and from pictures. */
export class Images {
  readonly #creates: Creates;

  /** @internal */
  constructor(creates: Creates) {
    this.#creates = creates;
  }

  /** Starts pictures from text and answers at once: `await rk.images.create({ prompt: 'a lighthouse' })`. */
  create<Model extends ModelId>(params: ImageParams<Model>, options?: CreateOptions): ApiPromise<Generation> {
    return this.#creates.create('/v1/images/generations', params, options);
  }

  /**
   * Makes pictures from text and waits for them: `(await rk.images.run({ prompt: 'a lighthouse' })).outputs[0].url`.
   *
   * @throws RenderkitError as `create` and `generations.wait` do.
   */
  run<Model extends ModelId>(params: ImageParams<Model>, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/images/generations', params, options);
  }

  /** Starts a change of a picture and answers at once: `await rk.images.createEdit({ image, prompt: 'in winter' })`. */
  createEdit<Model extends ModelId>(
    params: EditParams<Model>,
    options?: CreateOptions,
  ): ApiPromise<Generation> {
    return this.#creates.create('/v1/images/edits', params, options);
  }

  /**
   * Changes a picture, or a masked part of it, and waits: `await rk.images.edit({ image, prompt: 'in winter' })`.
   *
   * @throws RenderkitError as `createEdit` and `generations.wait` do.
   */
  edit<Model extends ModelId>(params: EditParams<Model>, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/images/edits', params, options);
  }
}

/** Videos, what comes after them, and frames. */
export class Videos {
  readonly #creates: Creates;
  readonly #transport: Transport;

  /** @internal */
  constructor(creates: Creates, transport: Transport) {
    this.#creates = creates;
    this.#transport = transport;
  }

  /** Starts a video and answers at once: `await rk.videos.create({ prompt: 'clouds drift', duration: 5 })`. */
  create<Model extends ModelId>(params: VideoParams<Model>, options?: CreateOptions): ApiPromise<Generation> {
    return this.#creates.create('/v1/videos/generations', params, options);
  }

  /**
   * Makes a video and waits for it: `await rk.videos.run({ prompt: 'clouds drift', duration: 5 })`.
   *
   * @throws RenderkitError as `create` and `generations.wait` do.
   */
  run<Model extends ModelId>(params: VideoParams<Model>, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/videos/generations', params, options);
  }

  /** Starts what comes after a finished video: `await rk.videos.extend({ video_id, prompt: 'the sun sets' })`. */
  extend(params: ExtendParams, options?: CreateOptions): ApiPromise<Generation> {
    return this.#creates.create('/v1/videos/extend', params, options);
  }

  /**
   * The same, waiting for it: `await rk.videos.runExtend({ video_id, prompt: 'the sun sets' })`.
   *
   * @throws RenderkitError as `extend` and `generations.wait` do.
   */
  runExtend(params: ExtendParams, options?: RunOptions): Promise<SucceededGeneration> {
    return this.#creates.run('/v1/videos/extend', params, options);
  }

  /** One picture of a video, free: `await rk.videos.createFrame(video.outputs[0].id, { time: 'last' })`. */
  createFrame(videoId: string, body: CreateFrameRequest, options?: RequestOptions): ApiPromise<Frame> {
    const path = `/v1/videos/${encodeURIComponent(videoId)}/frames`;
    return new ApiPromise(this.#transport.answer({ method: 'POST', path, body, options }));
  }
}

/** Everything that was ever asked for. */
export class Generations {
  readonly #transport: Transport;
  readonly #follower: Follower;

  /** @internal */
  constructor(transport: Transport, follower: Follower) {
    this.#transport = transport;
    this.#follower = follower;
  }

  /** How it stands now: `(await rk.generations.retrieve(id)).status`. Its links are fresh. */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Generation> {
    const path = `/v1/generations/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /**
   * What it was asked for, and what makes it again: `(await rk.generations.request(id)).seed`; `repeat` is the body of a create
   * with that seed.
   */
  request(id: string, options?: RequestOptions): ApiPromise<GenerationRequest> {
    const path = `/v1/generations/${encodeURIComponent(id)}/request`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /** Newest first, without end: `for await (const generation of rk.generations.list({ status: 'failed' }))`. */
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

  /** Takes one out of the queue before it is sent to an engine; a later one is refused as `conflict`. */
  cancel(id: string, options?: RequestOptions): ApiPromise<Generation> {
    const path = `/v1/generations/${encodeURIComponent(id)}/cancel`;
    return new ApiPromise(this.#transport.answer({ method: 'POST', path, options }));
  }

  /** Gives up one that may run already; its engine is asked to end. Where none can, that is refused as `conflict`. */
  stop(id: string, options?: RequestOptions): ApiPromise<Generation> {
    const path = `/v1/generations/${encodeURIComponent(id)}/stop`;
    return new ApiPromise(this.#transport.answer({ method: 'POST', path, options }));
  }

  /** How far it is, as one object: `(await rk.generations.progress(id)).stage`. */
  progress(id: string, options?: RequestOptions): ApiPromise<Progress> {
    const path = `/v1/generations/${encodeURIComponent(id)}/progress`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /**
   * The generation when it has succeeded, from whichever process it was started: `await rk.generations.wait(queued.id)`.
   *
   * @throws RenderkitError `generation_failed` or `generation_canceled` with the generation, `still_running` when
   *   `timeout` is over, `aborted` by the signal, or why the service cannot be asked. Each has its `generationId`.
   */
  wait(id: string, options?: WaitOptions): Promise<SucceededGeneration> {
    return this.#follower.wait(id, options);
  }

  /**
   * Every event as it happens, the state now first and `done` last:
   * `for await (const event of rk.generations.stream(id)) if (event.type === 'progress') …`.
   */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<GenerationEvent, void, undefined> {
    return this.#follower.events(id, options);
  }
}
