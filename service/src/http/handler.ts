import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '@renderkit/contract/v1/operation.ts';
import type { RequestOf, ResponseOf, OperationId } from '@renderkit/contract/v1/operations.ts';
import type { EventStream } from '@renderkit/server-kit/http/event-streams.ts';
import { readMultipart } from '@renderkit/server-kit/http/multipart.ts';
import { exemptFromRequestTimeout, sendContinue } from '@renderkit/server-kit/http/request-body.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admitted } from '../identity/admission/admit.ts';
import type { Principal } from '../identity/admission/principal.ts';

/** What every handler gets in addition to the validated parts of its request. */
export type HandlerContext = {
  principal: Principal;
  /** Already checked. `undefined` when none was sent, and always on routes that take none. */
  idempotencyKey: string | undefined;
  /** For the fingerprint of a create: method and path in the form of the contract. */
  method: string;
  path: string;
  /** `req_…`, for logs. */
  requestId: string;
  /** As sent, names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The parts of a multipart form, when the operation takes a form and the client sent one instead of JSON. */
  readonly form: (() => AsyncIterator<unknown>) | undefined;
  /** Bytes of the body, if the client sent the length. */
  readonly contentLength: number | undefined;
  /** Aborts when the client disconnects before its answer. Created on first use. */
  readonly signal: AbortSignal;
  log: Logger;
};

/** An answer whose text is ready, for replays and batched reads. The caller adds the status line and headers. */
export class RawReply {
  readonly status: number;
  /** JSON text, sent byte for byte; bytes when the headers name another type. */
  readonly text: string | Buffer;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, text: string | Buffer, headers?: Readonly<Record<string, string>>) {
    this.status = status;
    this.text = text;
    this.headers = headers;
  }
}

/** An answer that is streamed as bytes, such as a file. Its status is 200 and its length is unknown. */
export class BytesReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: AsyncIterable<Uint8Array>;

  constructor(headers: Readonly<Record<string, string>>, bytes: AsyncIterable<Uint8Array>) {
    this.headers = headers;
    this.bytes = bytes;
  }
}

/** An answer that is a stream of events (docs/api.md §4). `KeyStreams` ends the streams of a revoked key. */
export class StreamReply {
  /** Called after the headers of the answer were sent. */
  readonly begin: (stream: EventStream) => void;

  constructor(begin: (stream: EventStream) => void) {
    this.begin = begin;
  }
}

/**
 * Answers one operation. The result is sent as JSON with the contract's status. `query` holds integers where the
 * contract has integers, and no defaults. `body` is as sent. Throws ApiProblem to refuse.
 */
export type Handler<Id extends OperationId> = (
  request: RequestOf<Id> & HandlerContext,
) => Promise<ResponseOf<Id> | RawReply | StreamReply>;

/**
 * One handler for each operation. The type check fails when one is missing. The handlers are in the `routes.ts` of each
 * module; `service/src/app.ts` collects them.
 */
export type Handlers = { [Id in OperationId]: Handler<Id> };

type Valid = Pick<HandlerContext, 'idempotencyKey'> & {
  params: unknown;
  query: unknown;
  body: unknown;
  isForm?: boolean;
};

/** What a handler of the HTTP API gets for one request. */
export class RequestContext implements HandlerContext {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly form: HandlerContext['form'];
  readonly contentLength: number | undefined;
  readonly principal: HandlerContext['principal'];
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly headers: HandlerContext['headers'];
  readonly log: Logger;
  readonly #reply: FastifyReply;
  #gone: AbortSignal | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, operation: Operation, valid: Valid, log: Logger) {
    this.params = valid.params;
    this.query = valid.query;
    this.body = valid.body;
    this.idempotencyKey = valid.idempotencyKey;
    this.form = valid.isForm === true ? () => openParts(request, reply) : undefined;
    const length = request.raw.headers['content-length'];
    this.contentLength = length === undefined ? undefined : Number(length);
    this.principal = (request.admitted as Admitted).principal;
    this.method = operation.method;
    this.path = operation.path;
    this.requestId = request.id;
    this.headers = request.raw.headers;
    this.log = log;
    this.#reply = reply;
  }

  get signal(): AbortSignal {
    return (this.#gone ??= signalOfClient(this.#reply));
  }
}

/** Returns a signal that aborts when the client disconnects before its answer. */
export function signalOfClient({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => raw.writableFinished || gone.abort());
  return gone.signal;
}

/**
 * Returns the parts of a form. The upload of a file may take any time while it keeps its minimum pace, which the reader
 * of the parts must check.
 */
function openParts(request: FastifyRequest, reply: FastifyReply): AsyncIterator<unknown> {
  const exempt = exemptFromRequestTimeout(request.raw);
  reply.raw.once('close', () => exempt[Symbol.dispose]());
  sendContinue(request.raw, reply.raw);
  return readMultipart(request.raw);
}
