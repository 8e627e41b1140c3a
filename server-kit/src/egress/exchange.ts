import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { EgressRefusal, errorCode } from './egress-refusal.ts';

/** Milliseconds for the head of the answer, from the last byte of the request. */
const HEAD_TIMEOUT_MS = 30_000;
/** 1xx answers before the real one. Each may be as large as a head, and they may go on without end. */
const MAX_INTERIM_ANSWERS = 8;
/** The parser counts neither reason phrases nor chunk extensions nor leading empty lines: the wire is bounded too. */
const WIRE_BYTES_PER_BODY_BYTE = 8;

export interface ExchangeOptions {
  method: 'GET' | 'HEAD' | 'POST';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
  maxHeaderBytes: number;
  maxResponseBytes: number;
  signal: AbortSignal;
}

/** The head of an answer, and its body as it comes: not decoded, not bounded. Disposing closes the connection. */
export interface Exchange extends AsyncDisposable {
  status: number;
  headers: ResponseHeaders;
  body: AsyncIterable<Buffer>;
}

/** Names in lower case; a header that came more than once has a list. No prototype. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One request and the head of its answer over a socket of its own, which it closes: connections are never used
 * twice. Throws EgressRefusal, or the signal's reason.
 */
export async function exchange(socket: Socket, options: ExchangeOptions): Promise<Exchange> {
  const { method, url, headers, body, signal } = options;
  const client = new Client(url.origin, {
    connect: handOver(socket, wireBytes(options)),
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: HEAD_TIMEOUT_MS,
    bodyTimeout: 0,
  });
  const close = async () => {
    await client.destroy();
    socket.destroy();
  };
  try {
    const response = await client.request({
      method,
      path: url.pathname + url.search,
      headers: { ...headers, 'accept-encoding': 'identity' },
      body,
      signal,
      onInfo: interimLimit(),
    });
    // A body that is dropped before its end raises an error that nobody waits for.
    response.body.on('error', () => {});
    const responseHeaders: ResponseHeaders = Object.assign(Object.create(null), response.headers);
    return {
      status: response.statusCode,
      headers: responseHeaders,
      body: response.body,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw translateError(error, signal);
  }
}

/** Gives an error of the HTTP client one of our kinds. The signal's reason goes before: it is why the socket broke. */
export function translateError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof EgressRefusal) return error;
  const code = errorCode(error);
  // A header or method that no caller of ours may give: a fault of the program, not of the receiver.
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return error;
  if (code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new EgressRefusal('timeout', 'The answer did not begin in time.', { cause: error });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressRefusal('too_large', 'The head of the answer is too large.', { cause: error });
  }
  return new EgressRefusal('protocol', 'The answer is not valid HTTP or broke off.', { cause: error });
}

/**
 * Hands the client the one socket that was judged. The client asks again if that one dies before its first use:
 * the answer is an error, else it would connect on its own account, or ask for ever.
 */
function handOver(socket: Socket, maxWireBytes: number): buildConnector.connector {
  return (_options, callback) => {
    // Later, not now: the client goes on by itself only when the answer comes after its call.
    queueMicrotask(() => {
      if (socket.destroyed) {
        callback(new EgressRefusal('protocol', 'The connection closed before the request was sent.'), null);
        return;
      }
      callback(null, socket);
      boundWire(socket, maxWireBytes);
    });
  };
}

function boundWire(socket: Socket, maxWireBytes: number): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxWireBytes) return;
    socket.destroy(new EgressRefusal('too_large', 'The answer has more frame than body.'));
  });
}

function wireBytes({ maxHeaderBytes, maxResponseBytes }: ExchangeOptions): number {
  return (MAX_INTERIM_ANSWERS + 4) * maxHeaderBytes + WIRE_BYTES_PER_BODY_BYTE * maxResponseBytes;
}

function interimLimit(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_INTERIM_ANSWERS)
      throw new EgressRefusal('protocol', 'The answer never comes to the point.');
  };
}
