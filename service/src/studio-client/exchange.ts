import { type Dispatcher, Pool } from 'undici';
import { StudioFailure } from './studio-failure.ts';

/** One HTTP request to the studio. */
export type Request = {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Wall clock for all of it: connecting, sending, and the last byte of the answer. */
  timeoutMs: number;
  /** Bytes of the answer's body at most. */
  maxBytes: number;
  /** True where sending it twice does no more than once: a broken connection is tried again, once. */
  repeatable: boolean;
  signal?: AbortSignal;
};

export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

export type Exchange = AsyncDisposable & {
  /** Any status is an answer; redirects are not followed. @throws StudioFailure: unavailable, timeout, nonsense */
  send: (request: Request) => Promise<Reply>;
};

const connectTimeoutMs = 5_000;

/** A bounded pool of kept connections to one origin, one request at a time on each. */
export function createExchange(origin: string, connections: number): Exchange {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    // `timeoutMs` of the request is the one clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs },
    maxHeaderSize: 16 * 1024,
  });
  return {
    send: async (request) => {
      const deadline = performance.now() + request.timeoutMs;
      try {
        return await sendOnce(pool, request, request.timeoutMs);
      } catch (error) {
        const left = deadline - performance.now();
        // A kept connection that the studio closed meanwhile shows only when it is used.
        if (!request.repeatable || !isBroken(error) || left < 100) throw error;
        return await sendOnce(pool, request, left).catch(afterFirst);
      }
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** The first try may have arrived, whatever became of the second. */
function afterFirst(error: unknown): never {
  if (!(error instanceof StudioFailure) || error.maybeSent) throw error;
  throw new StudioFailure(error.kind, error.message, { maybeSent: true, cause: error });
}

async function sendOnce(pool: Pool, request: Request, timeoutMs: number): Promise<Reply> {
  const given = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    given.abort();
  }, timeoutMs);
  const onAbort = () => given.abort();
  if (request.signal?.aborted === true) given.abort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const answer = await pool.request({
      method: request.method,
      path: request.path,
      headers: request.headers ?? null,
      body: request.body ?? null,
      signal: given.signal,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: await readBody(answer.body, request.maxBytes),
    };
  } catch (error) {
    if (late)
      throw new StudioFailure('timeout', `no answer within ${timeoutMs} ms`, {
        maybeSent: true,
        cause: error,
      });
    throw failureOf(error);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  }
}

async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      // Leaving the loop destroys the stream and with it the connection: the rest is never read.
      throw new StudioFailure('nonsense', `an answer of more than ${maxBytes} bytes`, { maybeSent: true });
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
}

// Failures before a connection stood: nothing was sent.
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const broken = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function failureOf(error: unknown): unknown {
  if (error instanceof StudioFailure) return error;
  const codes = codesOf(error);
  const maybeSent = !codes.some((code) => neverConnected.has(code));
  if ((error as Error).name === 'HTTPParserError' || codes.includes('UND_ERR_HEADERS_OVERFLOW'))
    return new StudioFailure('nonsense', 'the answer is no HTTP', { maybeSent, cause: error });
  return new StudioFailure('unavailable', `the studio is out of reach (${codes.join(', ') || 'aborted'})`, {
    maybeSent,
    cause: error,
  });
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof StudioFailure &&
    error.kind === 'unavailable' &&
    codesOf(error.cause).some((code) => broken.has(code))
  );
}

/** The codes of an error and of what it gathers: one per address tried. */
function codesOf(error: unknown): string[] {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...(errors ?? []).flatMap(codesOf)];
}
