import type { RequestOf, ResponseOf, OperationId } from '@renderkit/contract/v1/operations.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Principal } from './admission/principal.ts';

/** What every handler gets beside the validated parts of its request. */
export type HandlerContext = {
  principal: Principal;
  /** Checked; undefined where none was sent, and always on routes that take none. */
  idempotencyKey: string | undefined;
  /** For the fingerprint of a create: method and path as the contract writes them. */
  method: string;
  path: string;
  /** `req_…`, for logs. */
  requestId: string;
  /** The parts of a multipart form, where the operation takes one and it was sent in place of JSON. */
  readonly form: (() => AsyncIterator<unknown>) | undefined;
  /** Bytes of the body, where the client said it. */
  readonly contentLength: number | undefined;
  /** Aborts when the client has gone before its answer. Made when first asked for. */
  readonly signal: AbortSignal;
  log: Logger;
};

/** An answer whose text is ready: replays, batched reads. The status line and headers are the caller's. */
export class RawReply {
  readonly status: number;
  /** JSON text, sent byte for byte. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, text: string, headers?: Readonly<Record<string, string>>) {
    this.status = status;
    this.text = text;
    this.headers = headers;
  }
}

/**
 * Answers one operation. What it returns is sent as JSON with the contract's status; `query` holds integers where
 * the contract says so and no defaults; `body` is as sent. It throws ApiProblem to refuse.
 */
export type Handler<Id extends OperationId> = (
  request: RequestOf<Id> & HandlerContext,
) => Promise<ResponseOf<Id> | RawReply>;

/** One handler for each operation: the type reports one that is missing. */
export type Handlers = { [Id in OperationId]: Handler<Id> };
