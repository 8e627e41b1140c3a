import type { Dispatcher } from 'undici';

/** Bytes that wait for their taker at most; beyond them the other side waits. */
const MAX_WAITING_BYTES = 64 * 1024;

/** The body of an answer as it comes: not decoded, not bounded. One reader at a time. */
export class AnswerBody {
  #chunks: Buffer[] = [];
  readonly #controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;
  #waitingBytes = 0;
  /** Still to come; NaN where the head did not say. */
  #missingBytes: number;
  #hasEnded = false;
  #error: unknown;
  #arrived: (() => void) | undefined;

  /** `contentLength`: as the head has it. */
  constructor(
    controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>,
    contentLength: string | string[] | undefined,
  ) {
    this.#controller = controller;
    this.#missingBytes = Number(contentLength);
  }

  /**
   * All that is here as one piece, for it may have come in pieces of a byte; null at the end, undefined where the next is
   * still to come. Throws what broke the body.
   */
  read(): Buffer | null | undefined {
    const chunks = this.#chunks;
    if (chunks.length === 0) {
      if (this.#error !== undefined) throw this.#error;
      return this.#hasEnded ? null : undefined;
    }
    const wasFull = this.#waitingBytes >= MAX_WAITING_BYTES;
    const piece = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, this.#waitingBytes);
    this.#chunks = [];
    this.#waitingBytes = 0;
    // What the socket has waiting comes at once, before this returns.
    if (wasFull) this.#controller.resume();
    return piece;
  }

  /** Waits until `read()` has something to say. */
  arrival(): Promise<void> {
    if (this.#chunks.length > 0 || this.#hasEnded || this.#error !== undefined) return Promise.resolve();
    return new Promise((resolve) => (this.#arrived = resolve));
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#missingBytes -= chunk.length;
    // Paused after its last byte the parser would not see that the body is whole, and take a close for its breaking off.
    if (this.#waitingBytes >= MAX_WAITING_BYTES && this.#missingBytes !== 0) this.#controller.pause();
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** What has come already is read before. */
  break(error: unknown): void {
    this.#error ??= error;
    this.#wake();
  }

  #wake(): void {
    this.#arrived?.();
    this.#arrived = undefined;
  }
}
