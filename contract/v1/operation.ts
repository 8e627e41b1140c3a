import type { TSchema } from 'typebox';
import type { ProblemCode } from './problem-codes.ts';
import type { Scope } from './scopes.ts';

/** One row of the table of operations. */
export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A path with `{name}` for each parameter. */
  path: `/v1/${string}`;
  tag: 'Account' | 'Catalog' | 'Projects' | 'Library' | 'Uploads' | 'Generations' | 'Events';
  summary: string;
  description: string;
  /** The scope that the key must have. For a list, any one of its scopes is enough. */
  scope: Scope | readonly Scope[];
  /** When true, the operation uses the Idempotency-Key; otherwise it ignores the header. */
  idempotent: boolean;
  request: {
    /** A path that does not match gets `not_found`, never `invalid_request`. */
    params?: TSchema;
    /** Unknown query parameters are refused, even without a schema. */
    query?: TSchema;
    body?: TSchema;
    /** The parts of a multipart form that a client may send instead of JSON. */
    form?: TSchema;
    /** When false, a request without a body is equivalent to an empty object. */
    bodyRequired?: boolean;
    /** The largest JSON body, in bytes. */
    bodyLimitBytes: number;
    /** The maximum number of values in the body, on all levels together. Default: `jsonValues`. */
    maxBodyValues?: number;
  };
  response: {
    status: 200 | 201 | 202;
    schema: TSchema;
    /**
     * Set when the answer is not JSON. The handler sends the answer itself; the schema is only for the OpenAPI
     * document.
     */
    mediaType?: 'text/event-stream' | 'image/jpeg';
    /** Replaces the example of the schema when the operation has a more specific answer. */
    example?: object;
    /** Describes the events when the answer is, or may be, a stream of events (`text/event-stream`). */
    stream?: string;
  };
  /** All problem codes of the operation. */
  problems: readonly ProblemCode[];
};

/** The problem codes of every route: each one authenticates, checks names strictly, and may fail unexpectedly. */
export const problemsOfEveryOperation = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'upstream_error',
  'upstream_unavailable',
] as const satisfies readonly ProblemCode[];

/** The problem codes of a route that calls the studio for the account. */
export const studioProblems = [...problemsOfEveryOperation, 'connection_expired'] as const;

/**
 * The problem codes of a create: all refusals of a quote and of the accept.
 * `serveOperations` in `service/src/http/serve-operations.ts` says which files have their order.
 */
export const createProblems = [
  ...studioProblems,
  'insufficient_credits',
  'budget_exceeded',
  'tier_required',
  'conflict',
  'unprocessable',
  'moderation_blocked',
  'account_suspended',
  'email_not_verified',
  'queue_full',
  'geo_blocked',
] as const satisfies readonly ProblemCode[];

/** Returns the scopes of which a key needs one, always as a list. */
export function acceptedScopes(operation: Operation): readonly Scope[] {
  return typeof operation.scope === 'string' ? [operation.scope] : operation.scope;
}
