import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import { RateFloor } from '@renderkit/server-kit/http/rate-floor.ts';

/**
 * A client that reads more slowly than this counts as gone, even if its connection is open: the source of the answer is
 * held for it.
 */
const readerPace: Pace = { minBytesPerSecond: 8 * 1024, windowMs: 60_000 };

/** Milliseconds. Set in `service/src/app.ts`. */
export type Heartbeat = {
  /** Until the first byte of an answer that is not ready. 0 for no heartbeat. */
  afterMs: number;
  everyMs: number;
};

/** A refusal of a facade, in the format of its API. */
export type Refusal = { status: number; headers: Record<string, string>; body: object };

/** The format of an answer. */
export type AnswerForm = {
  headers: Record<string, string>;
  /** Shows that the connection is alive; the reader ignores it. */
  heartbeat: string;
  /** Returns the text that reports a failure after the head of a 200. Without this function, the connection is cut. */
  failure?: (body: object) => string;
};

/** JSON may begin with white space. Clients would take an error inside a 200 for a success. */
export const jsonForm: AnswerForm = {
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  heartbeat: ' ',
};

/** The heartbeat is a comment line, without an empty line after it: some clients would read that as an event. */
export const eventsForm = (failure: (body: object) => string): AnswerForm => ({
  headers: {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  },
  heartbeat: ': ping\n',
  failure,
});

/**
 * An answer that may take minutes. Proxies close connections that are silent for a minute or two. So after a while it
 * writes the head of a 200, and then heartbeats. Until then, a failure still gets its own status. Later, a failure cuts
 * the connection if the format cannot report it: a client that repeats gets the true answer. `wait` in
 * `make-outputs.ts` decides how long an answer is held.
 */
export class HeldAnswer {
  readonly #response: ServerResponse;
  readonly #form: AnswerForm;
  readonly #headers: () => Record<string, string>;
  readonly #gone = new AbortController();
  readonly #pace: Pace;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `headers` returns the headers of every answer, as known at that time. The caller must have taken the response from
   * the framework.
   */
  constructor(
    response: ServerResponse,
    options: { form: AnswerForm; heartbeat: Heartbeat; headers: () => Record<string, string>; pace?: Pace },
  ) {
    this.#response = response;
    this.#pace = options.pace ?? readerPace;
    this.#form = options.form;
    this.#headers = options.headers;
    response.once('close', () => {
      clearTimeout(this.#timer);
      if (!response.writableFinished) this.#gone.abort();
    });
    const { afterMs, everyMs } = options.heartbeat;
    if (response.destroyed) this.#gone.abort();
    else if (afterMs > 0) this.#timer = setTimeout(() => this.#beat(everyMs), afterMs);
  }

  /** Aborts when the client disconnects before its answer. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends a part before the rest exists. Sends nothing to a client that reads too slowly. */
  sendAhead(part: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    this.#begin({});
    response.write(part);
  }

  /** Sends the answer, or the rest of it. @returns whether the client received it */
  async send(body: string | AsyncIterable<string | Buffer>): Promise<boolean> {
    const response = this.#response;
    clearTimeout(this.#timer);
    if (response.destroyed) return false;
    return this.#finished(async () => {
      this.#begin(typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {});
      if (typeof body === 'string') response.end(body);
      else await this.#pipe(body);
    });
  }

  /** Sends a refusal instead of the answer. @returns whether the client received it */
  async refuse({ status, headers, body }: Refusal): Promise<boolean> {
    const response = this.#response;
    clearTimeout(this.#timer);
    if (response.destroyed) return false;
    const late = this.#form.failure;
    if (response.headersSent && late === undefined) {
      response.destroy();
      return false;
    }
    return this.#finished(async () => {
      if (response.headersSent) return void response.end(late?.(body));
      const text = JSON.stringify(body);
      response.writeHead(status, {
        ...jsonForm.headers,
        ...this.#headers(),
        ...headers,
        'content-length': String(Buffer.byteLength(text)),
      });
      response.end(text);
    });
  }

  async #finished(write: () => Promise<void>): Promise<boolean> {
    const response = this.#response;
    const closed = once(response, 'close');
    await write();
    await Promise.race([closed, once(response, 'finish').catch(() => undefined)]);
    return response.writableFinished;
  }

  async #pipe(body: AsyncIterable<string | Buffer>): Promise<void> {
    const response = this.#response;
    const { minBytesPerSecond, windowMs } = this.#pace;
    using floor = new RateFloor(minBytesPerSecond, windowMs, () => response.destroy());
    try {
      for await (const chunk of body) {
        if (response.destroyed) return;
        floor.wait();
        await this.#written(chunk);
        floor.received(chunk.length);
      }
      response.end();
    } catch (error) {
      // Half an answer must not look like a complete one.
      response.destroy();
      throw error;
    }
  }

  /** Writes a chunk and waits until it is sent or the client disconnects: keeps at most one chunk for a slow client. */
  #written(chunk: string | Buffer): Promise<void> {
    const response = this.#response;
    return new Promise((resolve) => {
      const done = () => {
        response.off('close', done);
        resolve();
      };
      response.once('close', done);
      response.write(chunk, done);
    });
  }

  #begin(headers: Record<string, string>): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { ...this.#form.headers, ...this.#headers(), ...headers });
  }

  #beat(everyMs: number): void {
    this.#begin({});
    this.#response.write(this.#form.heartbeat);
    this.#timer = setTimeout(() => this.#beat(everyMs), everyMs);
  }
}
