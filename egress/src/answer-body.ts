import type { Dispatcher } from 'undici';

/** The maximum number of bytes that wait for the reader. Beyond it the other side has to wait. */
const MAX_WAITING_BYTES = 64 * 1024;

/** The body of an answer while it arrives: not decoded, without a size limit. Allows one reader at a time. */
export class AnswerBody {
  #chunks: Buffer[] = [];
  readonly #controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;
  #waitingBytes = 0;
  /** Bytes that have not arrived; NaN when the head has no length. */
  #missingBytes: number;
  #hasEnded = false;
  #error: unknown;
  #arrived: (() => void) | undefined;

  /** @param contentLength the value from the head */
  constructor(
    controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>,
    contentLength: string | string[] | undefined,
  ) {
    this.#controller = controller;
    this.#missingBytes = Number(contentLength);
  }

  /**
   * Returns all bytes that have arrived as one piece, because they may have arrived in pieces of one byte. Returns
   * `null` at the end, and `undefined` when the next piece has not arrived yet. Throws the error that broke the body.
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
    // The bytes that wait in the socket arrive at once, before this returns.
    if (wasFull) this.#controller.resume();
    return piece;
  }

  /** Waits until `read()` returns a piece or `null`, or throws. */
  arrival(): Promise<void> {
    if (this.#chunks.length > 0 || this.#hasEnded || this.#error !== undefined) return Promise.resolve();
    return new Promise((resolve) => (this.#arrived = resolve));
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#missingBytes -= chunk.length;
    // Does not pause after the last byte: the parser would not notice that the body is complete, and would take a close
    // for an interruption.
    if (this.#waitingBytes >= MAX_WAITING_BYTES && this.#missingBytes !== 0) this.#controller.pause();
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Reports this error to the reader after the bytes that have already arrived. */
  break(error: unknown): void {
    this.#error ??= error;
    this.#wake();
  }

  #wake(): void {
    this.#arrived?.();
    this.#arrived = undefined;
  }
}
