import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Milliseconds. */
export type Heartbeat = {
  /** Until the first byte of an answer that is not ready; 0 for none at all. */
  afterMs: number;
  everyMs: number;
};

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/**
 * An answer that may take minutes, to a client that waits for it. Proxies give up what is silent for a minute or two: after
 * a while the head of a 200 is written, and a space now and then, which JSON may begin with. Until then everything can still
 * be refused with its own status. What fails later cuts the connection: an error inside of a 200 would be taken for a
 * success, and a client that repeats is given the true answer.
 */
export class HeldAnswer {
  readonly #response: ServerResponse;
  readonly #headers: () => Record<string, string>;
  readonly #gone = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** `headers`: of every answer, as they are known by then. The caller has taken the response from the framework. */
  constructor(response: ServerResponse, heartbeat: Heartbeat, headers: () => Record<string, string>) {
    this.#response = response;
    this.#headers = headers;
    response.once('close', () => {
      clearTimeout(this.#timer);
      if (!response.writableFinished) this.#gone.abort();
    });
    if (response.destroyed) this.#gone.abort();
    else if (heartbeat.afterMs > 0)
      this.#timer = setTimeout(() => this.#beat(heartbeat.everyMs), heartbeat.afterMs);
  }

  /** Aborts when the client has gone before its answer. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends the whole answer. @returns whether the client took it */
  async send(
    status: number,
    headers: Record<string, string>,
    body: string | AsyncIterable<string | Buffer>,
  ): Promise<boolean> {
    clearTimeout(this.#timer);
    const response = this.#response;
    if (response.destroyed) return false;
    if (response.headersSent && status !== 200) {
      response.destroy();
      return false;
    }
    const ended = once(response, 'close');
    if (!response.headersSent)
      response.writeHead(status, {
        ...jsonHeaders,
        ...this.#headers(),
        ...headers,
        ...(typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
      });
    if (typeof body === 'string') response.end(body);
    else await this.#pipe(body);
    await Promise.race([ended, once(response, 'finish').catch(() => undefined)]);
    return response.writableFinished;
  }

  async #pipe(body: AsyncIterable<string | Buffer>): Promise<void> {
    const response = this.#response;
    try {
      for await (const chunk of body) {
        if (response.destroyed) return;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
    } catch (error) {
      // Half an answer must not look like a whole one.
      response.destroy();
      throw error;
    }
  }

  #beat(everyMs: number): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { ...jsonHeaders, ...this.#headers() });
    this.#response.write(' ');
    this.#timer = setTimeout(() => this.#beat(everyMs), everyMs);
  }
}
