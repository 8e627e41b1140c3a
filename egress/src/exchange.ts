import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { Connection } from './connection.ts';
import { EgressRefusal, errorCode } from './egress-refusal.ts';
import type { StopSignal } from './stop-signal.ts';

/** 1xx answers before the real one. Each may be as large as a head, and they may go on without end. */
const MAX_INTERIM_ANSWERS = 8;
/** The parser counts neither reason phrases nor chunk extensions nor leading empty lines: the wire is bounded too. */
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

/** The head of an answer, and its body as it comes. */
export interface Exchange {
  status: number;
  headers: ResponseHeaders;
  body: AnswerBody;
}

/** Names in lower case; a header that came more than once has a list. No prototype. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One request and the head of its answer over a connection, which its caller closes or keeps. Rejects with EgressRefusal,
 * such as the reason of the stop; the connection is then of no use any more.
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
 * Takes an answer from the HTTP client as its parser has it. (Its `request()` would make a stream of each body and listeners
 * of a signal, which cost more than all else that a webhook does.)
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
    // Once it has been answered this rejects nothing.
    this.#reject(error);
    this.#body?.break(error);
  }
}

/** Gives an error of the HTTP client one of our kinds. The reason of the stop goes before: it is why the socket broke. */
function translateError(error: unknown, stop: Pick<StopSignal, 'reason'>): unknown {
  if (stop.reason !== undefined) return stop.reason;
  if (error instanceof EgressRefusal) return error;
  const code = errorCode(error);
  // A header or method that no caller of ours may give: an error of the program, not of the receiver.
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
