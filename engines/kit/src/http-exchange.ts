import type { Dispatcher } from 'undici';
import { EngineFailure } from './driver.ts';

/** For each such number of bytes, a whole request or answer gets one more second. */
const bytesPerSecond = 32 * 1024;

/** A request over HTTP. The default time limits are in `backend-http.ts`. */
export interface ExchangeRequest {
  /** Name of the backend, for messages. */
  readonly backend: string;
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | AsyncIterable<Buffer> | null;
  readonly answerMs: number;
  readonly silentMs: number;
  readonly totalMs: number;
  readonly maxBytes: number;
  readonly onBody?: ((chunk: Buffer, answer: BackendAnswer) => void | Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

export interface BackendAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty where `onBody` took it. */
  readonly body: Buffer;
}

export interface Exchange {
  /** Resolves when the last byte of the request is written; rejects as `answer` does. */
  readonly sent: Promise<void>;
  readonly answer: Promise<BackendAnswer>;
}

type Phase = 'connecting' | 'sending' | 'waiting' | 'reading' | 'over';

/**
 * Sends one request over an undici dispatcher and reads its answer. Both promises reject with an EngineFailure, which
 * shows whether a byte may have left, or with the signal's reason.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Exchange {
  const handler = new ExchangeHandler(request);
  handler.begin(dispatcher);
  return { sent: handler.sent.promise, answer: handler.answered.promise };
}

// This uses undici's handler instead of `request()`: only the handler reports when the first and the last byte of a
// request leave.
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly sent = Promise.withResolvers<void>();
  readonly answered = Promise.withResolvers<BackendAnswer>();
  readonly #request: ExchangeRequest;
  #phase: Phase = 'connecting';
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #whole: NodeJS.Timeout | undefined;
  /** Bytes of the request that were sent or, after that, bytes of the answer. */
  #moved = 0;
  #answer: BackendAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #taking: Promise<void> = Promise.resolve();
  readonly #onAbort = () => this.#end(this.#request.signal.reason);

  constructor(request: ExchangeRequest) {
    this.#request = request;
    // Callers need not wait for both promises.
    this.sent.promise.catch(() => {});
    this.answered.promise.catch(() => {});
  }

  begin(dispatcher: Dispatcher): void {
    const { method, path, headers, body, signal } = this.#request;
    if (signal.aborted) return this.#onAbort();
    signal.addEventListener('abort', this.#onAbort, { once: true });
    dispatcher.dispatch({ method, path, headers, body: body as Dispatcher.DispatchOptions['body'] }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#phase === 'over') {
      controller.abort(new Error('The call was given up before it was sent.'));
      return;
    }
    this.#enter('sending', this.#request.silentMs);
    this.#limitWhole(this.#request.totalMs);
  }

  onBodySent(chunk: Buffer): void {
    this.#moved += chunk.length;
    if (this.#phase === 'sending') this.#enter('sending', this.#request.silentMs);
  }

  onRequestSent(): void {
    if (this.#phase === 'sending') {
      const { answerMs, totalMs } = this.#request;
      this.#enter('waiting', answerMs);
      this.#limitWhole(answerMs + totalMs);
    }
    this.sent.resolve();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: BackendAnswer['headers'],
  ): void {
    // Interim answers (1xx) are ignored.
    if (status < 200 || this.#phase === 'over') return;
    // A refusal may arrive before the whole request is sent.
    this.sent.resolve();
    this.#answer = { status, headers, body: this.#answer.body };
    this.#enter('reading', this.#request.silentMs);
    // The function that takes the body has its own time limit.
    if (this.#isTaken) clearTimeout(this.#whole);
    if (Number(headers['content-length']) > this.#request.maxBytes) this.#tooLarge();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'over') return;
    this.#enter('reading', this.#request.silentMs);
    this.#bytes += chunk.length;
    const { onBody, maxBytes } = this.#request;
    if (this.#bytes > maxBytes) return this.#tooLarge();
    if (onBody === undefined || !this.#isTaken) {
      this.#moved += chunk.length;
      this.#chunks.push(chunk);
      return;
    }
    controller.pause();
    this.#taking = this.#take(onBody, chunk).then(
      () => controller.resume(),
      (error: unknown) => this.#end(error),
    );
  }

  get #isTaken(): boolean {
    const { status } = this.#answer;
    return this.#request.onBody !== undefined && (status === 200 || status === 206);
  }

  async #take(onBody: NonNullable<ExchangeRequest['onBody']>, chunk: Buffer): Promise<void> {
    await this.#taking;
    if (this.#phase !== 'over') await onBody(chunk, this.#answer);
  }

  onResponseEnd(): void {
    void this.#succeed();
  }

  async #succeed(): Promise<void> {
    // Waits until `onBody` has taken the last chunk.
    await this.#taking;
    if (this.#phase === 'over') return;
    this.#stop();
    this.answered.resolve({ ...this.#answer, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { backend } = this.#request;
    const codes = codesOf(error).join(', ') || error.name;
    const words = {
      connecting: `${backend} is out of reach (${codes}).`,
      sending: `${backend} broke the connection off while it was asked (${codes}).`,
      waiting: `${backend} broke the connection off before it answered (${codes}).`,
      reading: `${backend} broke its answer off (${codes}).`,
      over: '',
    };
    this.#fail(words[this.#phase], error);
  }

  #enter(phase: Phase, ms: number): void {
    this.#phase = phase;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#fail(`${this.#request.backend} was silent for ${Math.round(ms / 1000)} seconds.`);
    }, ms);
  }

  /** Limits the whole request or answer from now on. A byte now and then would reset the silence limit without end. */
  #limitWhole(ms: number): void {
    clearTimeout(this.#whole);
    this.#moved = 0;
    const begun = performance.now();
    const look = () => {
      const passed = performance.now() - begun;
      const left = ms + (this.#moved * 1_000) / bytesPerSecond - passed;
      if (left > 0) this.#whole = setTimeout(look, left);
      else this.#fail(`${this.#request.backend} came to no end in ${Math.round(passed / 1_000)} seconds.`);
    };
    look();
  }

  #tooLarge(): void {
    this.#fail(`${this.#request.backend} answered with more than ${this.#request.maxBytes} bytes.`);
  }

  #fail(message: string, cause?: unknown): void {
    const sent = this.#phase === 'connecting' ? 'no' : 'unknown';
    this.#end(new EngineFailure(message, { blame: 'backend', code: 'engine_unavailable', sent, cause }));
  }

  #end(error: unknown): void {
    if (this.#phase === 'over') return;
    this.#stop();
    void this.#reject(error);
    this.#controller?.abort(error instanceof Error ? error : new Error('The call was given up.'));
  }

  async #reject(error: unknown): Promise<void> {
    // Waits until `onBody` has finished its current chunk.
    await this.#taking;
    this.sent.reject(error);
    this.answered.reject(error);
  }

  #stop(): void {
    this.#phase = 'over';
    clearTimeout(this.#timer);
    clearTimeout(this.#whole);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
  }
}

/** Returns the codes of an error and of the errors inside it: one for each address tried. */
function codesOf(error: unknown): string[] {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...(errors ?? []).flatMap(codesOf)];
}
