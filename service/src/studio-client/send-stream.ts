import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { freeBytes } from '@renderkit/server-kit/http/byte-buffer.ts';
import {
  connectTimeoutMs,
  maxHeaderBytes,
  readTransportError,
  type Reply,
  type Request,
} from './http-call.ts';
import { StudioFailure } from './studio-failure.ts';

export type StreamRequest = Request & { body: AsyncIterable<Uint8Array> };

export type StreamSender = Disposable & {
  /** Returns any status as an answer, even when the answer comes before the stream has ended. @throws StudioFailure */
  send: (request: StreamRequest) => Promise<Reply>;
};

/**
 * Sends streams to one origin, each on its own connection. Uses Node's client and not undici's: it reports when a chunk
 * was sent. So only a few chunks are in memory, and their memory can be freed at once.
 */
export function createStreamSender(origin: string, connections: number): StreamSender {
  const { protocol, hostname, port } = new URL(origin);
  const { Agent, request: open } = protocol === 'https:' ? https : http;
  // A closed connection is noticed only when it is used again, and a stream cannot be sent twice, so connections are
  // not reused.
  const agent = new Agent({ keepAlive: false, maxSockets: connections });
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    send: (request) => {
      const { method, path, headers = {}, signal } = request;
      if (signal?.aborted === true)
        throw new StudioFailure('unavailable', 'the call was given up', { maybeSent: false });
      const call = open({ agent, host, port, method, path, headers, maxHeaderSize: maxHeaderBytes });
      return converse(call, request);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** The result of the call for its caller. Only the first one counts. */
type Ending = {
  ended: boolean;
  /** Called at the end. */
  onEnd: () => void;
  done: (reply: Reply) => void;
  fail: (kind: 'unavailable' | 'timeout' | 'nonsense', why: string, cause?: unknown) => void;
  /** Called when the stream failed, not the call. */
  broke: (error: unknown) => void;
};

function converse(call: ClientRequest, request: StreamRequest): Promise<Reply> {
  const { timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    const connection = watchConnection(call, () => ending.fail('unavailable', 'no connection came in time'));
    const settle = (how: () => void) => {
      if (ending.ended) return;
      ending.ended = true;
      clock.end();
      connection.stop();
      signal?.removeEventListener('abort', onAbort);
      ending.onEnd();
      how();
      // Also when the studio answered before the end of the stream: it does not want the rest.
      if (!call.writableFinished) call.destroy();
    };
    const ending: Ending = {
      ended: false,
      onEnd: () => undefined,
      done: (reply) => settle(() => resolve(reply)),
      fail: (kind, why, cause) => {
        const failure = new StudioFailure(kind, why, { maybeSent: connection.stood(), cause });
        settle(() => reject(failure));
      },
      broke: (error) => settle(() => reject(error)),
    };
    const clock = createClock(timeoutMs, () => ending.fail('timeout', `no answer within ${timeoutMs} ms`));
    const onAbort = () => ending.fail('unavailable', 'the call was given up');
    signal?.addEventListener('abort', onAbort, { once: true });
    let answered = false;
    call.on('error', (error) => ending.fail(...readTransportError(error), error));
    call.once('close', () => answered || ending.fail('unavailable', 'the studio ended the connection'));
    call.once('response', (response) => {
      answered = true;
      readReply(response, request.maxBytes, ending);
    });
    clock.start();
    sendBody(call, request.body, clock, ending).catch(ending.broke);
  });
}

/** The most chunks on their way at once: enough for several to be written together. */
const maxChunksUnderWay = 4;

/** The clock runs only while the studio handles chunks that were sent. */
async function sendBody(
  call: ClientRequest,
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  ending: Ending,
): Promise<void> {
  const state = { underWay: 0, broken: false };
  let wake: () => void = () => undefined;
  ending.onEnd = () => wake();
  const capacity = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  for await (const chunk of body) {
    if (ending.ended) return;
    state.underWay++;
    call.write(chunk, (error) => {
      state.underWay--;
      // When a chunk was not sent, something may still read its memory, so it is not freed.
      if (error === null || error === undefined) freeBytes(chunk);
      else state.broken = true;
      wake();
    });
    clock.start();
    if (state.underWay >= maxChunksUnderWay) await capacity();
    if (ending.ended || state.broken) return;
    clock.stop();
  }
  if (ending.ended) return;
  clock.start();
  call.end();
}

function readReply(response: IncomingMessage, maxBytes: number, { done, fail }: Ending): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) fail('nonsense', `an answer of more than ${maxBytes} bytes`);
    else chunks.push(chunk);
  });
  response.on('error', (error) => fail(...readTransportError(error), error));
  response.once('close', () => fail('unavailable', 'the studio ended the connection'));
  response.once('end', () => {
    const { statusCode: status = 0, headers } = response;
    done({ status, headers, body: Buffer.concat(chunks, bytes) });
  });
}

type Clock = { start: () => void; stop: () => void; end: () => void };

/** Stopping leaves the timer running, because the clock starts and stops thousands of times per second. */
function createClock(timeoutMs: number, onLate: () => void): Clock {
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    timer = undefined;
    if (since === undefined) return;
    const left = since + timeoutMs - performance.now();
    // A timer may fire a little early.
    if (left > 1) timer = setTimeout(look, left);
    else onLate();
  };
  return {
    start: () => {
      since = performance.now();
      timer ??= setTimeout(look, timeoutMs);
    },
    stop: () => (since = undefined),
    end: () => clearTimeout(timer),
  };
}

/** Watches whether a connection was made at all, and calls `onLate` when it takes too long. */
function watchConnection(
  call: ClientRequest,
  onLate: () => void,
): { stood: () => boolean; stop: () => void } {
  let stood = false;
  let timer: NodeJS.Timeout | undefined;
  call.once('socket', (socket) => {
    timer = setTimeout(onLate, connectTimeoutMs);
    socket.once('connect', () => {
      stood = true;
      clearTimeout(timer);
    });
  });
  return { stood: () => stood, stop: () => clearTimeout(timer) };
}
