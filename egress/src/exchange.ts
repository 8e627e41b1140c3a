import type { Connection } from './connection.ts';
import { EgressRefusal, errorCode } from './egress-refusal.ts';

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
  signal: AbortSignal;
}

/** The head of an answer, and its body as it comes: not decoded, not bounded. */
export interface Exchange {
  status: number;
  headers: ResponseHeaders;
  body: AsyncIterable<Buffer>;
}

/** Names in lower case; a header that came more than once has a list. No prototype. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One request and the head of its answer over a connection, which its caller closes or keeps. Throws EgressRefusal, or
 * the signal's reason; the connection is then of no use any more.
 */
export async function exchange(connection: Connection, options: ExchangeOptions): Promise<Exchange> {
  const { method, url, headers, body, signal } = options;
  connection.limitBytes(wireBytes(options));
  try {
    const response = await connection.client.request({
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
    return { status: response.statusCode, headers: responseHeaders, body: response.body };
  } catch (error) {
    throw translateError(error, signal);
  }
}

/** Gives an error of the HTTP client one of our kinds. The signal's reason goes before: it is why the socket broke. */
export function translateError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
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

function interimLimit(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_INTERIM_ANSWERS)
      throw new EgressRefusal('protocol', 'The answer never comes to the point.');
  };
}
