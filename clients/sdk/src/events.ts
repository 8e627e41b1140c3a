import { RenderkitError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import type { EventList, ListEventsQuery } from './objects.generated.ts';
import { PagePromise } from './page.ts';
import { type RequestOptions, sleep, type Transport } from './transport.ts';

/** Something that happened on the account: what webhooks tell of, and creates, starts and cancellations beside it. */
export type AccountEvent = EventList['data'][number];

/** How to follow the account. */
export type EventStreamOptions = {
  /** Only events of these types; all when left out. */
  types?: readonly AccountEvent['type'][] | undefined;
  /** Id of an event of the last 7 days: what came after it is told first. What happens from now on when left out. */
  after?: string | undefined;
  /** Ends the stream with `aborted`. */
  signal?: AbortSignal | undefined;
  /** Called whenever the stream is open, the first time and after every break. */
  onOpen?: (() => void) | undefined;
  /** Called after every break, with what is known of it. The stream goes on by itself. */
  onBreak?: ((error: unknown) => void) | undefined;
};

/** Servers send a sign of life each 15 seconds. */
const silenceMs = 40_000;
/** A proxy that collects whole answers lets nothing through: then asking again and again is the way. */
const firstByteMs = 15_000;
/** Before that it is asked where the stream would begin, so that nothing is missed that happens meanwhile. */
const askPlaceMs = 1_000;
const pollMs = 3_000;
/** Then a stream is tried again: the proxy may have been mended, and what was silent only busy. */
const pollsOnlyMs = 5 * 60_000;
const reconnectMs = 1_000;
const maxReconnectMs = 15_000;

/** Where a reader stands: after that event, or before the first that there is. Undefined: not known yet. */
type Place = { after: string | null | undefined };

/** What happens on the account, whichever key or page it comes from. */
export class Events {
  readonly #transport: Transport;
  /** Until when the proxies before this server are thought to let no stream through, as they did. */
  #pollsUntil = -Infinity;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What happened in the last 7 days, the oldest first: `for await (const event of rk.events.list({ after: id }))`. */
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
   * Every event as it happens, each once and in order: `for await (const event of rk.events.stream()) …`. It never ends by
   * itself: after a break it goes on where it was. Keep `event.id` and give it as `after` to go on in another process.
   *
   * @throws RenderkitError `aborted` by the signal, `invalid_request` when `after` is unknown or older than 7 days, and what
   *   else another try would not change, such as `unauthorized`.
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
          // The newest event that there is comes as an id alone, to go on from.
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

  /** What a stream tells until it breaks, or until it is known that none comes through. */
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

  /** What lists tell, one after the other, until a stream is to be tried again. */
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

  /** Where a stream that begins now would begin. */
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
