import { RenderkitError } from './errors.ts';
import { readEvents, SilentStreamError } from './event-stream.ts';
import type { Generation, Progress } from './objects.generated.ts';
import { maxTimerMs, type RequestOptions, sleep, type Transport } from './transport.ts';

/**
 * A small picture of an output in progress. `fetch` downloads its bytes; a link works only while the generation runs.
 */
export type Preview = {
  object: 'preview';
  generation_id: string;
  /** Index of the output, 0-based. */
  index: number;
  /** Grows with each preview. */
  revision: number;
  /** Link to the picture, or a `data:` address with its bytes. */
  url: string;
  width: number;
  height: number;
  content_type: string;
  /** Downloads the picture. */
  fetch(): Promise<Response>;
};

/** An event of a generation. Events come in order, and `done` is the last. */
export type GenerationEvent =
  | { type: 'generation'; generation: Generation }
  | { type: 'progress'; progress: Progress }
  | { type: 'preview'; preview: Preview }
  | { type: 'done'; generation: Generation };

/** Options of `wait`. */
export type WaitOptions = {
  /** The longest wait, in milliseconds; then `wait` throws `still_running`. No limit when left out. */
  timeout?: number | undefined;
  /** Ends the wait with `aborted`. The generation continues unless `cancelOnAbort` is set. */
  signal?: AbortSignal | undefined;
  /**
   * Also cancels the generation when the signal aborts or the timeout passes. Only a queued generation can be canceled;
   * it then costs nothing.
   */
  cancelOnAbort?: boolean | undefined;
  /** Called with each progress event. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with each preview. Its bytes are inline, so `fetch` needs no request. */
  onPreview?: ((preview: Preview) => void) | undefined;
};

/** Options of `stream`. */
export type StreamOptions = {
  /** Ends the stream: the stream then throws `aborted`. */
  signal?: AbortSignal | undefined;
  /** `inline` puts the bytes of a preview into its address. `none` leaves previews out. `link` when left out. */
  previews?: 'link' | 'inline' | 'none' | undefined;
};

/** Servers send a keep-alive every 15 seconds. The number is `streamHeartbeatSeconds` in `contract/v1/limits.ts`. */
const silenceMs = 40_000;
/** A proxy that buffers whole responses lets no stream through. The client then polls instead. */
const firstByteMs = 20_000;
/**
 * Less than 60 s, the limit after which many proxies give up on a response. The service waits at most `maxWaitSeconds`
 * in `contract/v1/limits.ts`.
 */
const longPollSeconds = 50;
/** Used while the caller wants progress. */
const progressPollSeconds = 3;
/**
 * After this time the client tries a stream again: the server may be newer, the proxy repaired, or the server was only
 * busy.
 */
const pollsOnlyMs = 5 * 60_000;
/** After a lost connection, the client tries a stream again after this time. */
const streamAgainMs = 30_000;
const reconnectMs = 1_000;
const maxReconnectMs = 15_000;

/**
 * A service that has answered before may be away for this time, for example during a restart. The generation continues.
 */
const awayMs = 5 * 60_000;

/** Timeout of the cancel request. The caller has given up and should not wait longer. */
const cancelMs = 10_000;

/** No stream was opened. `refused`: the server answered 404. A generation that does not exist also gives 404. */
class NoStreamError extends Error {
  readonly refused: boolean;

  constructor(refused: boolean) {
    super('no stream was opened');
    this.refused = refused;
  }
}

/** `service/src/generations/settle/status.ts` decides which statuses are final. */
const isFinal = (generation: Generation) => generation.status !== 'queued' && generation.status !== 'running';

/** @internal Follows generations: by a stream where the server offers one, else by long polls. */
export class Follower {
  readonly #transport: Transport;
  /** Until this time the client polls, because the server, or a proxy before it, let no stream through. */
  #pollsUntil = -Infinity;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get #pollsOnly(): boolean {
    return performance.now() < this.#pollsUntil;
  }

  #avoidStreams(): void {
    this.#pollsUntil = performance.now() + pollsOnlyMs;
  }

  /**
   * Yields all events, from the current state to `done`. Connects again after a break; only progress events can be
   * lost.
   */
  async *events(
    id: string,
    { signal, previews = 'link' }: StreamOptions,
  ): AsyncGenerator<GenerationEvent, void, undefined> {
    const waitSeconds = previews === 'none' ? longPollSeconds : progressPollSeconds;
    // A server that has never answered may be at a wrong address, so the error is thrown at once.
    let heardAt = -Infinity;
    const hear = () => (heardAt = performance.now());
    let pause = reconnectMs;
    for (;;) {
      const { ended, refused } = yield* heard(this.#streams(id, previews, signal), hear);
      if (ended) return;
      const again = performance.now() + streamAgainMs;
      let isKnown = false;
      try {
        for await (const event of this.#polls(id, waitSeconds, { signal, onAnswer: hear })) {
          // The generation exists, so the 404 means that this server has no streams.
          if (refused && !isKnown) this.#avoidStreams();
          isKnown = true;
          pause = reconnectMs;
          yield event;
          if (event.type === 'done') return;
          if (performance.now() >= again && !this.#pollsOnly) break;
        }
      } catch (error) {
        const mayPass = RenderkitError.is(error) && error.retryable && error.code !== 'aborted';
        if (!mayPass || performance.now() - heardAt > awayMs) throw error;
        await sleep(pause, signal);
        if (signal?.aborted === true) throw abortedBy(signal, id);
        pause = Math.min(pause * 2, maxReconnectMs);
      }
    }
  }

  /**
   * Yields the events of streams, one stream after the other, until the generation has `ended` or no stream can be
   * opened.
   */
  async *#streams(
    id: string,
    previews: 'link' | 'inline' | 'none',
    signal: AbortSignal | undefined,
  ): AsyncGenerator<GenerationEvent, { ended: boolean; refused: boolean }, undefined> {
    let pause = reconnectMs;
    while (!this.#pollsOnly) {
      try {
        for await (const event of this.#streamOnce(id, previews, signal)) {
          pause = reconnectMs;
          yield event;
          if (event.type === 'done') return { ended: true, refused: false };
        }
      } catch (error) {
        if (signal?.aborted === true) throw abortedBy(signal, id);
        if (RenderkitError.is(error) && !error.retryable) throw error;
        if (error instanceof NoStreamError) return { ended: false, refused: error.refused };
      }
      if (this.#pollsOnly) break;
      await sleep(pause, signal);
      if (signal?.aborted === true) throw abortedBy(signal, id);
      pause = Math.min(pause * 2, maxReconnectMs);
    }
    return { ended: false, refused: false };
  }

  async *#streamOnce(
    id: string,
    previews: 'link' | 'inline' | 'none',
    signal: AbortSignal | undefined,
  ): AsyncGenerator<GenerationEvent, void, undefined> {
    // One limit for all tries together: a proxy that holds the response back would do so again.
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), firstByteMs);
    const signals = [silence.signal, ...(signal === undefined ? [] : [signal])];
    const response = await this.#transport
      .send({
        method: 'GET',
        path: `/v1/generations/${encodeURIComponent(id)}/events`,
        query: { preview: previews },
        accept: 'text/event-stream',
        options: { signal: AbortSignal.any(signals) },
      })
      .catch((error: unknown) => {
        if (signal?.aborted === true || !RenderkitError.is(error)) throw error;
        if (silence.signal.aborted) return undefined;
        // A server without streams answers 404, and so does a server without this generation. The polls show which is
        // the case.
        if (['not_found', 'connection_failed'].includes(error.code))
          throw new NoStreamError(error.code === 'not_found');
        throw error;
      })
      .finally(() => clearTimeout(timer));
    const type = response?.headers.get('content-type') ?? '';
    if (response?.body == null || !type.startsWith('text/event-stream')) {
      this.#avoidStreams();
      return;
    }
    let begun = false;
    try {
      for await (const { event, data } of readEvents(response.body, () =>
        begun ? silenceMs : firstByteMs,
      )) {
        begun = true;
        if (data === '') continue;
        const parsed = this.#parse(event, data);
        if (parsed !== undefined) yield parsed;
      }
    } catch (error) {
      if (error instanceof SilentStreamError && !begun) this.#avoidStreams();
      else if (RenderkitError.is(error)) throw error;
    }
  }

  #parse(event: string, data: string): GenerationEvent | undefined {
    const value: unknown = JSON.parse(data);
    switch (event) {
      case 'generation':
      case 'done':
        return { type: event, generation: value as Generation };
      case 'progress':
        return { type: event, progress: value as Progress };
      case 'preview': {
        const preview = value as Omit<Preview, 'fetch'>;
        return { type: event, preview: { ...preview, fetch: () => this.#fetchPreview(preview.url) } };
      }
      default:
        // A newer server may send more types of events.
        return undefined;
    }
  }

  #fetchPreview(url: string): Promise<Response> {
    if (url.startsWith('data:')) return this.#transport.options.fetch(url, {});
    const path = url.slice(url.indexOf('/v1/'));
    return this.#transport.send({ method: 'GET', path, accept: 'image/*' });
  }

  async *#polls(
    id: string,
    waitSeconds: number,
    { signal, onAnswer }: { signal: AbortSignal | undefined; onAnswer: () => void },
  ): AsyncGenerator<GenerationEvent, void, undefined> {
    const path = `/v1/generations/${encodeURIComponent(id)}`;
    let shown = '';
    for (let wait = 0; ; wait = waitSeconds) {
      // The server holds the response until the wait is over, so the timeout includes the wait.
      const options: RequestOptions = { signal, timeout: this.#transport.options.timeout + wait * 1000 };
      const call = { method: 'GET', path, query: { wait }, options } as const;
      const { data: generation } = await this.#transport.answer<Generation>(call).catch((error: unknown) => {
        throw signal?.aborted === true ? abortedBy(signal, id) : error;
      });
      onAnswer();
      if (isFinal(generation)) return yield { type: 'done', generation };
      if (generation.status !== shown) yield { type: 'generation', generation };
      shown = generation.status;
      if (waitSeconds > progressPollSeconds) continue;
      const progress = await this.#progress(path, signal);
      if (progress !== undefined) yield { type: 'progress', progress };
    }
  }

  /** Returns `undefined` where the server reports no progress. */
  async #progress(path: string, signal: AbortSignal | undefined): Promise<Progress | undefined> {
    const call = { method: 'GET', path: `${path}/progress`, options: { signal } } as const;
    try {
      return (await this.#transport.answer<Progress>(call)).data;
    } catch (error) {
      if (RenderkitError.is(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /**
   * Waits for a generation and returns it when it has succeeded.
   *
   * @throws RenderkitError `generation_failed`, `generation_canceled`, `still_running`, `aborted`, or the reason why
   *   the service cannot be reached. Each error has the id of the generation.
   */
  async wait(id: string, options: WaitOptions = {}): Promise<SucceededGeneration> {
    const patience = new AbortController();
    const { timeout = Infinity } = options;
    const timer = timeout > maxTimerMs ? undefined : setTimeout(() => patience.abort(), timeout);
    const signals = [patience.signal, ...(options.signal === undefined ? [] : [options.signal])];
    try {
      const events = this.events(id, {
        signal: AbortSignal.any(signals),
        // The link of a preview stops working when the render ends, which may be before the caller fetches it. So
        // previews are inline.
        previews: options.onPreview === undefined ? 'none' : 'inline',
      });
      for await (const event of events) {
        if (event.type === 'done') return resultOf(event.generation);
        if (event.type === 'progress') options.onProgress?.(event.progress);
        if (event.type === 'preview') options.onPreview?.(event.preview);
      }
      throw new Error('a stream of events ended without its last one');
    } catch (error) {
      if (!RenderkitError.is(error)) throw error;
      // The generation continues after any such error, so the error carries its id.
      if (error.code !== 'aborted') throw Object.assign(error, { generationId: id });
      if (options.cancelOnAbort === true) await this.#tryToCancel(id);
      if (options.signal?.aborted === true) throw abortedBy(options.signal, id);
      throw new RenderkitError('still_running', `${id} has not finished in ${timeout} ms.`, {
        generationId: id,
        retryable: true,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async #tryToCancel(id: string): Promise<void> {
    const path = `/v1/generations/${encodeURIComponent(id)}/cancel`;
    // The cancel fails when the generation was sent to an engine in the meantime; the generation then continues.
    await this.#transport
      .send({ method: 'POST', path, options: { timeout: cancelMs } })
      .catch(() => undefined);
  }
}

/** Yields the same events and calls `onEvent` for each. */
async function* heard<Event, Result>(
  events: AsyncGenerator<Event, Result, undefined>,
  onEvent: () => void,
): AsyncGenerator<Event, Result, undefined> {
  let next: IteratorResult<Event, Result> | undefined;
  try {
    while ((next = await events.next()).done !== true) {
      onEvent();
      yield next.value;
    }
    return next.value;
  } finally {
    // When the consumer stops early, the source stream is closed.
    if (next?.done !== true) await events.return(undefined as Result);
  }
}

/** A generation with at least one output. */
export type SucceededGeneration = Generation & {
  status: 'succeeded';
  outputs: [Generation['outputs'][number], ...Generation['outputs']];
};

function resultOf(generation: Generation): SucceededGeneration {
  if (generation.status === 'succeeded') return generation as SucceededGeneration;
  const failed = generation.status === 'failed';
  const message = failed
    ? (generation.error?.message ?? 'The generation has failed.')
    : 'The generation was canceled.';
  throw new RenderkitError(failed ? 'generation_failed' : 'generation_canceled', message, { generation });
}

function abortedBy(signal: AbortSignal, generationId: string): Error {
  return new RenderkitError('aborted', `The waiting for ${generationId} was ended; it goes on.`, {
    cause: signal.reason,
    generationId,
  });
}
