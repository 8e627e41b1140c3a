import { RenderkitError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import type { EventList, ListEventsQuery } from './objects.generated.ts';
import { PagePromise } from './page.ts';
import { type RequestOptions, sleep, type Transport } from './transport.ts';

/** An event of the account: the events that webhooks deliver, and also creates, starts and cancellations. */
export type AccountEvent = EventList['data'][number];

/** Options of `events.stream`. */
export type EventStreamOptions = {
  /** Only events of these types. All types when left out. */
  types?: readonly AccountEvent['type'][] | undefined;
  /**
   * Id of an event of the last 7 days. The stream first sends the events after this one. When left out, the stream
   * sends only new events.
   */
  after?: string | undefined;
  /** Ends the stream: the stream then throws `aborted`. */
  signal?: AbortSignal | undefined;
  /** Called each time the stream opens: the first time and after every break. */
  onOpen?: (() => void) | undefined;
  /** Called after every break, with the error if there is one. The stream connects again without help. */
  onBreak?: ((error: unknown) => void) | undefined;
};

/** Servers send a keep-alive every 15 seconds. The number is `streamHeartbeatSeconds` in `contract/v1/limits.ts`. */
const silenceMs = 40_000;
/** A proxy that buffers whole responses lets no stream through. The client then polls the list instead. */
const firstByteMs = 15_000;
/**
 * Earlier than `firstByteMs`, the client asks for the id of the newest event. A later change to polling then misses no
 * event.
 */
const askPlaceMs = 1_000;
const pollMs = 3_000;
/** After this time the client tries a stream again: the proxy may be repaired, or the server was only busy. */
const pollsOnlyMs = 5 * 60_000;
const reconnectMs = 1_000;
const maxReconnectMs = 15_000;

/** Position of a reader: after this event, or `null` before the first event. `undefined`: not known yet. */
type Place = { after: string | null | undefined };

/** Events of the account, whichever key or page caused them. */
export class Events {
  readonly #transport: Transport;
  /** Until this time the client polls, because the proxies before the server let no stream through. */
  #pollsUntil = -Infinity;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the events of the last 7 days, oldest first: `for await (const event of rk.events.list({ after: id }))`. */
  list(
    query: Omit<ListEventsQuery, 'types'> & { types?: readonly AccountEvent['type'][] | undefined } = {},
    options?: RequestOptions,
  ): PagePromise<AccountEvent> {
    const types = query.types?.join(',');
    return PagePromise.of((page) =>
      this.#transport.answer({
        method: 'GET',
        path: '/v1/events',
        query: { ...query, types, page: page ?? query.page },
        options,
      }),
    );
  }

  /**
   * Yields every event as it happens, each once and in order: `for await (const event of rk.events.stream()) …`. The
   * stream has no end; after a break it continues where it stopped. To continue in another process, store `event.id`
   * and pass it as `after`.
   *
   * @throws RenderkitError `aborted` by the signal; `invalid_request` when `after` is unknown or older than 7 days; any
   *   other error that a retry cannot fix, such as `unauthorized`.
   */
  async *stream(options: EventStreamOptions = {}): AsyncGenerator<AccountEvent, void, undefined> {
    const { signal, onBreak } = options;
    const place: Place = { after: options.after };
    let pause = reconnectMs;
    while (true) {
      let broken: unknown;
      const polls = performance.now() < this.#pollsUntil;
      try {
        for await (const event of polls ? this.#poll(options, place) : this.#streamOnce(options, place)) {
          pause = reconnectMs;
          // `undefined`: the server sent only the id of the newest event, as the position to continue from.
          if (event !== undefined) yield event;
        }
      } catch (error) {
        if (RenderkitError.is(error) && !error.retryable && error.code !== 'aborted') throw error;
        broken = error;
      }
      const isOtherWay = polls !== performance.now() < this.#pollsUntil;
      if (signal?.aborted !== true && !(isOtherWay && broken === undefined)) {
        onBreak?.(broken);
        await sleep(pause, signal);
        pause = Math.min(pause * 2, maxReconnectMs);
      }
      if (signal?.aborted === true)
        throw new RenderkitError('aborted', 'The caller ended the stream.', { cause: signal.reason });
    }
  }

  /** Yields the events of one stream until the stream breaks, or until it is clear that no stream gets through. */
  async *#streamOnce(
    { types, signal, onOpen }: EventStreamOptions,
    place: Place,
  ): AsyncGenerator<AccountEvent | undefined, void, undefined> {
    const silence = new AbortController();
    const timers = [
      setTimeout(() => silence.abort(), firstByteMs),
      setTimeout(() => void this.#findPlace(place, silence.signal).catch(() => undefined), askPlaceMs),
    ];
    const stopWaiting = () => {
      for (const timer of timers.splice(0)) clearTimeout(timer);
    };
    const { after } = place;
    try {
      const response = await this.#transport.send({
        method: 'GET',
        path: '/v1/events',
        query: { types: types?.join(',') },
        accept: 'text/event-stream',
        options: {
          signal: AbortSignal.any([silence.signal, ...(signal === undefined ? [] : [signal])]),
          maxRetries: 0,
          ...(typeof after === 'string' && { headers: { 'Last-Event-ID': after } }),
        },
      });
      const type = response.headers.get('content-type') ?? '';
      if (response.body === null || !type.startsWith('text/event-stream'))
        throw new RenderkitError(
          'invalid_request',
          `The server answered with ${type} instead of a stream of events.`,
        );
      onOpen?.();
      for await (const { id, data } of readEvents(response.body, () => silenceMs, stopWaiting)) {
        place.after = id ?? place.after;
        yield data === '' ? undefined : (JSON.parse(data) as AccountEvent);
      }
    } catch (error) {
      if (!silence.signal.aborted || signal?.aborted === true) throw error;
      this.#pollsUntil = performance.now() + pollsOnlyMs;
    } finally {
      stopWaiting();
    }
  }

  /** Polls the list and yields its new events, until it is time to try a stream again. */
  async *#poll(
    { types, signal, onOpen }: EventStreamOptions,
    place: Place,
  ): AsyncGenerator<AccountEvent, void, undefined> {
    if (place.after === undefined) await this.#findPlace(place, signal);
    onOpen?.();
    while (performance.now() < this.#pollsUntil) {
      const query = { types, after: place.after ?? undefined, limit: 100 };
      for await (const event of this.list(query, { signal })) {
        place.after = event.id;
        yield event;
      }
      await sleep(pollMs, signal);
      if (signal?.aborted === true) return;
    }
  }

  /** Stores the position at which a stream that starts now would begin, unless the position is known. */
  async #findPlace(place: Place, signal: AbortSignal | undefined): Promise<void> {
    if (place.after !== undefined) return;
    const response = await this.#transport.send({
      method: 'GET',
      path: '/v1/events',
      query: { limit: 1 },
      options: { signal },
    });
    await response.body?.cancel();
    place.after ??= response.headers.get('X-Renderkit-Last-Event-ID');
  }
}
