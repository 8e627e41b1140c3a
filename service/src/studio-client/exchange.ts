import { type Dispatcher, Pool } from 'undici';
import { connectTimeoutMs, maxHeaderBytes, type Reply, type Request } from './http-call.ts';
import { createStreamSender } from './send-stream.ts';
import { StudioFailure } from './studio-failure.ts';
import { codesOf, readTransportError } from './transport-errors.ts';

export type Exchange = AsyncDisposable & {
  /** Any status is an answer; redirects are not followed. @throws StudioFailure: unavailable, timeout, nonsense */
  send: (request: Request) => Promise<Reply>;
};

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
    maxHeaderSize: maxHeaderBytes,
  });
  const streams = createStreamSender(origin, connections);
  return {
    send: async (request) => {
      const { body } = request;
      if (typeof body === 'object') return streams.send({ ...request, body });
      const whole = { ...request, body };
      const deadline = performance.now() + request.timeoutMs;
      try {
        return await sendOnce(pool, whole, request.timeoutMs);
      } catch (error) {
        const left = deadline - performance.now();
        // A kept connection that the studio closed meanwhile shows only when it is used.
        if (!request.repeatable || !isBroken(error) || left < 100) throw error;
        return await sendOnce(pool, whole, left).catch(afterFirst);
      }
    },
    [Symbol.asyncDispose]: async () => {
      streams[Symbol.dispose]();
      await pool.destroy();
    },
  };
}

/** The first try may have arrived, whatever became of the second. */
function afterFirst(error: unknown): never {
  if (!(error instanceof StudioFailure) || error.maybeSent) throw error;
  throw new StudioFailure(error.kind, error.message, { maybeSent: true, cause: error });
}

type Whole = Request & { body?: string | undefined };

// undici's own handler and not `request()`: no stream and no abort signal for an answer of a kilobyte.
function sendOnce(pool: Pool, request: Whole, timeoutMs: number): Promise<Reply> {
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
    const timer = setTimeout(onLate, timeoutMs);
    if (request.signal?.aborted === true) return onAbort();
    request.signal?.addEventListener('abort', onAbort, { once: true });

    pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: request.headers ?? null,
        body: request.body ?? null,
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
        onResponseError: (_, error) => fail(...readTransportError(error), error),
      },
    );
  });
}

const broken = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function isBroken(error: unknown): boolean {
  return (
    error instanceof StudioFailure &&
    error.kind === 'unavailable' &&
    codesOf(error.cause).some((code) => broken.has(code))
  );
}
