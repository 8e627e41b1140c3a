import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { StudioFailure } from './studio-failure.ts';

/** One HTTP request to the studio. */
export type Request = {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  /** A stream is sent as it comes; what it throws is thrown on as it is. */
  body?: string | AsyncIterable<Uint8Array>;
  /**
   * Wall clock for all of it: connecting, sending, and the last byte of the answer. For a stream it begins anew with
   * each chunk, and waiting for the next one does not count: how slow that may be is its sender's affair.
   */
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
const nothing = Buffer.alloc(0);

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

// undici's own handler and not `request()`: no stream and no abort signal for an answer of a kilobyte.
function sendOnce(pool: Pool, request: Request, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const reply: Reply = { status: 0, headers: {}, body: nothing };
    const chunks: Buffer[] = [];
    let bytes = 0;
    let ended = false;
    let controller: Dispatcher.DispatchController | undefined;

    const end = () => {
      ended = true;
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
    };
    const fail = (kind: 'unavailable' | 'timeout' | 'nonsense', why: string, cause?: unknown) => {
      if (ended) return;
      end();
      // Written or not: undici starts a request just before its first byte.
      const failure = new StudioFailure(kind, why, { maybeSent: controller !== undefined, cause });
      reject(failure);
      controller?.abort(failure);
    };
    const onAbort = () => fail('unavailable', 'the call was given up');
    const onLate = () => fail('timeout', `no answer within ${timeoutMs} ms`);
    let timer = setTimeout(onLate, timeoutMs);
    const clock: Clock = {
      start: () => {
        clearTimeout(timer);
        if (!ended) timer = setTimeout(onLate, timeoutMs);
      },
      stop: () => clearTimeout(timer),
      broken: (error) => {
        if (ended) return;
        end();
        reject(error);
      },
    };
    if (request.signal?.aborted === true) return onAbort();
    request.signal?.addEventListener('abort', onAbort, { once: true });

    pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: request.headers ?? null,
        body: bodyOf(request.body, clock),
      },
      {
        onRequestStart: (started) => {
          if (ended) started.abort(new Error('the call was given up before it was sent'));
          else controller = started;
        },
        onResponseStart: (_, status, headers) => {
          reply.status = status;
          reply.headers = headers;
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length;
          // Aborting closes the connection: the rest is never read.
          if (bytes > request.maxBytes) fail('nonsense', `an answer of more than ${request.maxBytes} bytes`);
          else chunks.push(chunk);
        },
        onResponseEnd: () => {
          if (ended) return;
          end();
          reply.body = chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks, bytes);
          resolve(reply);
        },
        onResponseError: (_, error) => fail(...readError(error), error),
      },
    );
  });
}

// The client takes any async iterable, but its types know streams alone.
function bodyOf(body: Request['body'], clock: Clock): string | Readable | null {
  return typeof body === 'object' ? (watched(body, clock) as unknown as Readable) : (body ?? null);
}

type Clock = { start: () => void; stop: () => void; broken: (error: unknown) => void };

/** The stream as it is, with the clock running only while the studio is at work on what it was given. */
async function* watched(body: AsyncIterable<Uint8Array>, clock: Clock): AsyncGenerator<Uint8Array> {
  try {
    clock.stop();
    for await (const chunk of body) {
      clock.start();
      yield chunk;
      clock.stop();
    }
    clock.start();
  } catch (error) {
    clock.broken(error);
    throw error;
  }
}

const broken = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function readError(error: Error): ['unavailable' | 'nonsense', string] {
  const codes = codesOf(error);
  return error.name === 'HTTPParserError' || codes.includes('UND_ERR_HEADERS_OVERFLOW')
    ? ['nonsense', 'the answer is no HTTP']
    : ['unavailable', `the studio is out of reach (${codes.join(', ') || error.name})`];
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
