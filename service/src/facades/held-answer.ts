import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import { RateFloor } from '@renderkit/server-kit/http/rate-floor.ts';

/** A client that takes less than this has gone, whatever its connection says: what it is read from is held for it. */
const readerPace: Pace = { minBytesPerSecond: 8 * 1024, windowMs: 60_000 };

/** Milliseconds. */
export type Heartbeat = {
  /** Until the first byte of an answer that is not ready; 0 for none at all. */
  afterMs: number;
  everyMs: number;
};

/** An answer of a facade that refuses, in the form of its API. */
export type Refusal = { status: number; headers: Record<string, string>; body: object };

/** What an answer is written as. */
export type AnswerForm = {
  headers: Record<string, string>;
  /** Shows that somebody is there, and means nothing to who reads it. */
  heartbeat: string;
  /** What tells of a failure once the head of a 200 is written; without it the connection is cut. */
  failure?: (body: object) => string;
};

/** JSON may begin with white space. An error inside of a 200 would be taken for a success. */
export const jsonForm: AnswerForm = {
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  heartbeat: ' ',
};

/** A line that is a comment. After an empty one some clients would read an event. */
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
 * An answer that may take minutes, to a client that waits for it. Proxies give up what is silent for a minute or two: after
 * a while the head of a 200 is written, and something now and then that means nothing. Until then everything can still be
 * refused with its own status. What fails later cuts the connection, where the form has no words for it: a client that
 * repeats is given the true answer.
 */
export class HeldAnswer {
  readonly #response: ServerResponse;
  readonly #form: AnswerForm;
  readonly #headers: () => Record<string, string>;
  readonly #gone = new AbortController();
  readonly #pace: Pace;
  #timer: NodeJS.Timeout | undefined;

  /** `headers`: of every answer, as they are known by then. The caller has taken the response from the framework. */
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

  /** Aborts when the client has gone before its answer. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends a part before the rest is there. To a client that is behind nothing is sent. */
  sendAhead(part: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    this.#begin({});
    response.write(part);
  }

  /** Sends the answer, or the rest of it. @returns whether the client took it */
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

  /** Says what it came to instead. @returns whether the client took it */
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
      // Half an answer must not look like a whole one.
      response.destroy();
      throw error;
    }
  }

  /** Writes a chunk and waits until it has left, or the client has: no more than one is kept for a client that is behind. */
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
