import {
  administrationOperationIds,
  administrationOperations,
} from '@renderkit/contract/studio/administration/operations.ts';
import type { StudioOperation } from '@renderkit/contract/studio/operation.ts';
import { type StudioOperationId, studioOperations } from '@renderkit/contract/studio/operations.ts';
import { type Dispatcher, Pool } from 'undici';
import {
  codesOf,
  connectTimeoutMs,
  maxHeaderBytes,
  readRefusal,
  readTransportError,
  type Reply,
  type Request,
} from './http-call.ts';
import { createStreamSender } from './send-stream.ts';
import { StudioFailure } from './studio-failure.ts';

const megabyte = 1024 * 1024;
const administration = administrationOperationIds.map(
  (id) => [id, administrationOperations[id].method] as const,
);
/** The most bytes of an answer. */
const maxAnswerBytes = megabyte;
const maxAnswerBytesOf: { [Id in StudioOperationId]?: number } = {
  // Allows for a manifest and its workflows, twice in a comparison.
  ...Object.fromEntries(administration.map(([id]) => [id, 32 * megabyte])),
  getCatalog: 8 * megabyte,
  lookUpRenders: 4 * megabyte,
  lookUpUploads: 4 * megabyte,
  readChanges: 16 * megabyte,
  readProgress: 32 * megabyte,
};
// All other operations may be sent twice with the effect of once: they only read, or they name their own token.
const notRepeatable = new Set<StudioOperationId>([
  'createProject',
  ...administration.flatMap(([id, method]) => (method === 'GET' ? [] : [id])),
]);

export type Exchange = AsyncDisposable & {
  /**
   * Returns any status as an answer. Does not follow redirects. @throws StudioFailure: unavailable, timeout, nonsense
   */
  send: (request: Request) => Promise<Reply>;
};

const nothing = Buffer.alloc(0);

/** Makes a limited pool of open connections to one origin, with one request at a time on each. */
export function createExchange(origin: string, connections: number): Exchange {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    // Only `timeoutMs` of the request limits the time.
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
        // A closed connection is noticed only when it is used again.
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

/** Marks the error as maybe sent: the first try may have arrived, whatever happened to the second. */
function afterFirst(error: unknown): never {
  if (!(error instanceof StudioFailure) || error.maybeSent) throw error;
  throw new StudioFailure(error.kind, error.message, { maybeSent: true, cause: error });
}

type Whole = Request & { body?: string | undefined };

// Uses undici's handler instead of `request()`, to avoid a stream and an abort signal for an answer of a kilobyte.
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
      // Tells whether the request may have been written: undici starts a request just before its first byte.
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
          // Aborting closes the connection, so the rest is never read.
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

/** The parts of a call in addition to its operation. */
export type Parts = {
  accountId?: string | undefined;
  params?: Record<string, string> | undefined;
  query?: Record<string, string | number | boolean | undefined> | undefined;
  body?: unknown;
  bytes?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  ifNoneMatch?: string | undefined;
  headers?: Record<string, string> | undefined;
};

/** Sends one call. Throws for any status that is not a success. @throws StudioFailure */
export async function send(
  exchange: Exchange,
  operation: StudioOperationId,
  parts: Parts,
  authorization: Record<string, string>,
  timeoutMs: number,
): Promise<Reply> {
  const { method, path }: StudioOperation = studioOperations[operation];
  const heldSeconds = (parts.body as { wait_seconds?: number } | undefined)?.wait_seconds ?? 0;
  const reply = await exchange.send({
    method,
    path: pathOf(path, parts.params) + queryOf(parts.query),
    headers: {
      ...parts.headers,
      ...authorization,
      accept: 'application/json',
      ...(parts.body !== undefined && { 'content-type': 'application/json' }),
      ...(parts.bytes !== undefined && { 'content-type': 'application/octet-stream' }),
      ...(parts.ifNoneMatch !== undefined && { 'if-none-match': parts.ifNoneMatch }),
    },
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
    ...(parts.bytes !== undefined && { body: parts.bytes }),
    timeoutMs: parts.timeoutMs ?? timeoutMs + heldSeconds * 1000,
    maxBytes: maxAnswerBytesOf[operation] ?? maxAnswerBytes,
    repeatable: parts.bytes === undefined && !notRepeatable.has(operation),
    ...(parts.signal !== undefined && { signal: parts.signal }),
  });
  if (reply.status === 200 || reply.status === 201) return reply;
  if (reply.status === 304 && parts.ifNoneMatch !== undefined) return reply;
  throw readRefusal(operation, reply);
}

function pathOf(path: string, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function queryOf(query: Record<string, string | number | boolean | undefined> = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}
