import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { Connection } from './connection.ts';
import { EgressRefusal, errorCode } from './egress-refusal.ts';
import type { StopSignal } from './stop-signal.ts';

/**
 * The maximum number of 1xx answers before the real one. Each may be as large as a head, and a server could send them
 * forever.
 */
const MAX_INTERIM_ANSWERS = 8;
/**
 * The parser does not count reason phrases, chunk extensions and leading empty lines. So the bytes on the wire are
 * limited too.
 */
const WIRE_BYTES_PER_BODY_BYTE = 8;

export interface ExchangeOptions {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
  maxHeaderBytes: number;
  maxResponseBytes: number;
  stop: StopSignal;
}

/** The head of an answer, and its body while it arrives. */
export interface Exchange {
  status: number;
  headers: ResponseHeaders;
  body: AnswerBody;
}

/** Names are in lower case. A header that appeared several times has a list. The object has no prototype. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Sends one request over a connection and resolves with the head of its answer. The caller closes or keeps the
 * connection. Rejects with EgressRefusal, such as the reason of the stop; then the connection must not be used again.
 */
export function exchange(connection: Connection, options: ExchangeOptions): Promise<Exchange> {
  const { method, url, headers, body, stop } = options;
  connection.limitBytes(wireBytes(options));
  const receiver = new Receiver(stop);
  stop.onStop((reason) => receiver.stop(reason));
  connection.client.dispatch(
    {
      method,
      path: url.pathname + url.search,
      headers: { ...headers, 'accept-encoding': 'identity' },
      body,
    },
    receiver,
  );
  return receiver.answer;
}

/**
 * Receives an answer from the HTTP client as the parser reads it. (The client's `request()` would create a stream for
 * each body and listeners for a signal. They would cost more than all other work for a webhook.)
 */
class Receiver implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Exchange>;
  readonly #resolve: (answer: Exchange) => void;
  readonly #reject: (error: unknown) => void;
  readonly #stop: StopSignal;
  #controller: Dispatcher.DispatchController | undefined;
  #body: AnswerBody | undefined;
  #interimAnswers = 0;
  #stopped: EgressRefusal | undefined;

  constructor(stop: StopSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stop = stop;
  }

  stop(reason: EgressRefusal): void {
    this.#stopped = reason;
    this.#break(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped !== undefined) controller.abort(this.#stopped);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > MAX_INTERIM_ANSWERS)
        throw new EgressRefusal('protocol', 'The answer never comes to the point.');
      return;
    }
    this.#body = new AnswerBody(controller, headers['content-length']);
    const ownHeaders: ResponseHeaders = Object.assign(Object.create(null), headers);
    this.#resolve({ status, headers: ownHeaders, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    this.#break(error);
  }

  #break(cause: unknown): void {
    const error = translateError(cause, this.#stop);
    // After the head was answered, this call has no effect.
    this.#reject(error);
    this.#body?.break(error);
  }
}

/**
 * Converts an error of the HTTP client to one of our kinds. The reason of the stop comes first, because it is why the
 * socket broke.
 */
function translateError(error: unknown, stop: Pick<StopSignal, 'reason'>): unknown {
  if (stop.reason !== undefined) return stop.reason;
  if (error instanceof EgressRefusal) return error;
  const code = errorCode(error);
  // An invalid header or method from our own code: a bug of the program, not a failure of the receiver.
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return error;
  if (code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new EgressRefusal('timeout', 'The answer did not begin in time.', { cause: error });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressRefusal('too_large', 'The head of the answer is too large.', { cause: error });
  }
  return new EgressRefusal('protocol', 'The answer is not valid HTTP or broke off.', { cause: error });
}

function wireBytes({ maxHeaderBytes, maxResponseBytes }: ExchangeOptions): number {
  return (MAX_INTERIM_ANSWERS + 4) * maxHeaderBytes + WIRE_BYTES_PER_BODY_BYTE * maxResponseBytes;
}
