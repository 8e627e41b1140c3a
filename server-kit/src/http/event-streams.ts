import type { ServerResponse } from 'node:http';

/**
 * What a stream of events is sent with (WHATWG HTML §9.2). Proxies must neither keep, change, compress nor collect it.
 */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** One event as the bytes of a stream: made once and written to whoever listens. `data` is text, such as JSON. */
export function eventBytes({ event, id, data }: { event: string; id?: string; data: string }): Buffer {
  let text = `event: ${event}\n`;
  if (id !== undefined) text += `id: ${id}\n`;
  for (const line of data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`;
  return Buffer.from(`${text}\n`);
}

/** An id without an event: whoever reads it goes on after the event that it names (WHATWG HTML §9.2.6). */
export function idBytes(id: string): Buffer {
  return Buffer.from(`id: ${id}\n\n`);
}

export type EventStreamsOptions = {
  /** Between two heartbeats of a stream. Default 15,000, as proxies drop what is silent for a minute. */
  heartbeatMs?: number;
  /** A reader that took nothing for this long is cut off; it comes back to the newest state. Default 30,000. */
  stalledMs?: number;
};

const reconnectMs = 3_000;
/** Clients of a server that stops come back within this time of each other. */
const reconnectSpreadMs = 5_000;
const heartbeatGroups = 15;
const heartbeat = Buffer.from(':\n\n');

/** The open streams of a server. One timer serves them all. */
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

  /** Makes an answer whose head was written a stream of events. It ends at once where the server stops. */
  start(response: ServerResponse): EventStream {
    const stream = new EventStream(response);
    // Its first heartbeat is a whole period away.
    const group = this.#groups[(this.#next + heartbeatGroups - 1) % heartbeatGroups] as Set<EventStream>;
    group.add(stream);
    stream.onClose(() => group.delete(stream));
    stream.write(Buffer.from(`retry: ${reconnectMs}\n\n`));
    if (this.#ended) stream.endForNow(reconnectSpreadMs);
    return stream;
  }

  /** Ends every stream, and whatever is started from now on; clients come back one after the other. */
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

/** Bytes that may wait in this process for a reader before it counts as behind. */
const maxWaitingBytes = 16 * 1024;

/** One open stream. A reader that is behind gets the newest of each kind of state later, and costs no memory meanwhile. */
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

  /** Milliseconds since the reader took the last byte of what it was sent; 0 where it has all. */
  get stalledForMs(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  /** More waits here for the reader than may: whoever has more to send awaits `drained` first. */
  get isBehind(): boolean {
    return this.#response.writableLength > maxWaitingBytes;
  }

  /** Sends what must arrive, in order. */
  write(bytes: Buffer): void {
    if (!this.#isOpen) return;
    this.#writes++;
    this.#behindSince ??= performance.now();
    this.#response.write(bytes, this.#written);
  }

  /** Sends a state of which only the newest counts: while the reader is behind, a later one of its slot replaces it. */
  writeLatest(slot: string, bytes: Buffer): void {
    if (!this.#isOpen) return;
    if (this.isBehind) this.#latest.set(slot, bytes);
    else this.write(bytes);
  }

  /** Settles once the reader has caught up, or the stream is closed. */
  async drained(): Promise<void> {
    while (this.#isOpen && this.isBehind)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }

  /** Ends the stream after what was written. What waits as the newest of its slot is written first. */
  end(): void {
    if (!this.#isOpen) return;
    this.#writeKept();
    this.#response.end();
    this.#close();
  }

  /** Ends it and asks the client to come back, at a time of its own within `spreadMs`. */
  endForNow(spreadMs: number): void {
    this.write(Buffer.from(`retry: ${1_000 + Math.floor(Math.random() * spreadMs)}\n\n`));
    this.end();
  }

  /** Drops the connection. */
  cut(): void {
    this.#response.destroy();
    this.#close();
  }

  /** Called once, when the stream is over, whoever ended it; at once where it is over already. */
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
