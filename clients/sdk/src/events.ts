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
const reconnectMs = 1_000;
const maxReconnectMs = 15_000;

/** What happens on the account, whichever key or page it comes from. */
export class Events {
  readonly #transport: Transport;

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
    let { after } = options;
    let pause = reconnectMs;
    while (true) {
      let broken: unknown;
      try {
        for await (const { id, data } of this.#streamOnce(options, after)) {
          pause = reconnectMs;
          after = id ?? after;
          // The newest event that there is comes as an id alone, to go on from.
          if (data !== '') yield JSON.parse(data) as AccountEvent;
        }
      } catch (error) {
        if (RenderkitError.is(error) && !error.retryable && error.code !== 'aborted') throw error;
        broken = error;
      }
      if (signal?.aborted !== true) {
        onBreak?.(broken);
        await sleep(pause, signal);
      }
      if (signal?.aborted === true)
        throw new RenderkitError('aborted', 'The caller ended the stream.', { cause: signal.reason });
      pause = Math.min(pause * 2, maxReconnectMs);
    }
  }

  async *#streamOnce({ types, signal, onOpen }: EventStreamOptions, after: string | undefined) {
    const response = await this.#transport.send({
      method: 'GET',
      path: '/v1/events',
      query: { types: types?.join(',') },
      accept: 'text/event-stream',
      options: { signal, maxRetries: 0, ...(after !== undefined && { headers: { 'Last-Event-ID': after } }) },
    });
    const type = response.headers.get('content-type') ?? '';
    if (response.body === null || !type.startsWith('text/event-stream'))
      throw new RenderkitError(
        'invalid_request',
        `The server answered with ${type} instead of a stream of events.`,
      );
    onOpen?.();
    yield* readEvents(response.body, () => silenceMs);
  }
}
