import type { ServerResponse } from 'node:http';

/** Headers of an event stream (WHATWG HTML §9.2). Proxies must not store, change, compress or buffer it. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/**
 * Returns one event as the bytes of a stream. They are made once and written to all listeners. `data` is text, such as
 * JSON.
 */
export function eventBytes({ event, id, data }: { event: string; id?: string; data: string }): Buffer {
  let text = `event: ${event}\n`;
  if (id !== undefined) text += `id: ${id}\n`;
  for (const line of data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`;
  return Buffer.from(`${text}\n`);
}

/**
 * Returns an id without an event. A client that reads it continues after the event with this id (WHATWG HTML §9.2.6).
 */
export function idBytes(id: string): Buffer {
  return Buffer.from(`id: ${id}\n\n`);
}

export type EventStreamsOptions = {
  /**
   * Milliseconds between two heartbeats of a stream. Default 15,000, because proxies drop a connection that is silent
   * for a minute.
   */
  heartbeatMs?: number;
  /**
   * Milliseconds after which a reader that reads nothing is disconnected. It reconnects and gets the newest state.
   * Default 30,000.
   */
  stalledMs?: number;
};

const reconnectMs = 3_000;
/** When a server stops, its clients reconnect at random times within this period. */
const reconnectSpreadMs = 5_000;
const heartbeatGroups = 15;
const heartbeat = Buffer.from(':\n\n');

/**
 * The open streams of a server. All streams share one timer. `service/src/identity/keys/key-streams.ts` limits the
 * streams of a key.
 */
export class EventStreams implements Disposable {
  readonly #groups = Array.from({ length: heartbeatGroups }, () => new Set<EventStream>());
  readonly #timer: NodeJS.Timeout;
  readonly #stalledMs: number;
  #next = 0;
  #ended = false;

  constructor({ heartbeatMs = 15_000, stalledMs = 30_000 }: EventStreamsOptions = {}) {
    this.#stalledMs = stalledMs;
    this.#timer = setInterval(() => this.#beat(), heartbeatMs / heartbeatGroups);
    this.#timer.unref();
  }

  get open(): number {
    return this.#groups.reduce((sum, group) => sum + group.size, 0);
  }

  /**
   * Turns a response whose head was written into an event stream. The stream ends at once when the server is stopping.
   */
  start(response: ServerResponse): EventStream {
    const stream = new EventStream(response);
    // The group whose heartbeat was last, so the first heartbeat comes after a full period.
    const group = this.#groups[(this.#next + heartbeatGroups - 1) % heartbeatGroups] as Set<EventStream>;
    group.add(stream);
    stream.onClose(() => group.delete(stream));
    stream.write(Buffer.from(`retry: ${reconnectMs}\n\n`));
    if (this.#ended) stream.endForNow(reconnectSpreadMs);
    return stream;
  }

  /** Ends every stream, and also each stream that starts later. The clients reconnect at different times. */
  [Symbol.dispose](): void {
    this.#ended = true;
    clearInterval(this.#timer);
    for (const group of this.#groups) for (const stream of group) stream.endForNow(reconnectSpreadMs);
  }

  #beat(): void {
    for (const stream of this.#groups[this.#next] as Set<EventStream>)
      if (stream.stalledForMs > this.#stalledMs) stream.cut();
      else stream.writeLatest('heartbeat', heartbeat);
    this.#next = (this.#next + 1) % heartbeatGroups;
  }
}

/** Bytes that may wait in this process for a reader. With more, the reader counts as behind. */
const maxWaitingBytes = 16 * 1024;

/**
 * One open stream. A reader that is behind gets only the newest of each kind of state later, so its memory use is
 * bounded.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #latest = new Map<string, Buffer>();
  readonly #closed: (() => void)[] = [];
  #waiting: (() => void)[] = [];
  #writes = 0;
  #behindSince: number | undefined;
  #isOpen = true;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', this.#close);
    response.on('error', this.#close);
    if (response.destroyed) this.#close();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Milliseconds since the reader last received a write completely; 0 when it has received everything. */
  get stalledForMs(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  /** True when more bytes wait for the reader than allowed. A caller with more to send must first await `drained`. */
  get isBehind(): boolean {
    return this.#response.writableLength > maxWaitingBytes;
  }

  /** Sends bytes that must arrive, in order. */
  write(bytes: Buffer): void {
    if (!this.#isOpen) return;
    this.#writes++;
    this.#behindSince ??= performance.now();
    this.#response.write(bytes, this.#written);
  }

  /**
   * Sends a state of which only the newest matters. While the reader is behind, a later state of the same slot replaces
   * it.
   */
  writeLatest(slot: string, bytes: Buffer): void {
    if (!this.#isOpen) return;
    if (this.isBehind) this.#latest.set(slot, bytes);
    else this.write(bytes);
  }

  /** Resolves when the reader has caught up or the stream is closed. */
  async drained(): Promise<void> {
    while (this.#isOpen && this.isBehind)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }

  /** Ends the stream after all earlier writes. First writes the newest state of each slot that still waits. */
  end(): void {
    if (!this.#isOpen) return;
    this.#writeKept();
    this.#response.end();
    this.#close();
  }

  /** Ends the stream and asks the client to reconnect, at a random time within `spreadMs`. */
  endForNow(spreadMs: number): void {
    this.write(Buffer.from(`retry: ${1_000 + Math.floor(Math.random() * spreadMs)}\n\n`));
    this.end();
  }

  /** Drops the connection. */
  cut(): void {
    this.#response.destroy();
    this.#close();
  }

  /**
   * Calls the listener once when the stream has ended, on either side. Calls it at once when the stream has ended
   * already.
   */
  onClose(listener: () => void): void {
    if (this.#isOpen) this.#closed.push(listener);
    else listener();
  }

  readonly #written = (): void => {
    this.#writes--;
    this.#behindSince = this.#writes === 0 ? undefined : performance.now();
    if (!this.#isOpen || this.isBehind) return;
    this.#writeKept();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  };

  #writeKept(): void {
    const kept = [...this.#latest.values()];
    this.#latest.clear();
    for (const bytes of kept) this.write(bytes);
  }

  readonly #close = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#latest.clear();
    for (const resolve of this.#waiting) resolve();
    for (const listener of this.#closed) listener();
  };
}
