import type { TSchema } from 'typebox';
import type { ProblemCode } from './problem-codes.ts';
import type { Scope } from './scopes.ts';

/** One row of the table of operations. */
export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with `{name}` for each parameter. */
  path: `/v1/${string}`;
  tag: 'Account' | 'Catalog' | 'Projects' | 'Library' | 'Uploads' | 'Generations' | 'Events';
  summary: string;
  description: string;
  /** The scope that the key must have, or several of which any one is enough. */
  scope: Scope | readonly Scope[];
  /** True where an Idempotency-Key is honoured; elsewhere the header is ignored. */
  idempotent: boolean;
  request: {
    /** A path that does not match answers `not_found`, never `invalid_request`. */
    params?: TSchema;
    /** Unknown query parameters are refused, where there is no schema too. */
    query?: TSchema;
    body?: TSchema;
    /** Parts of a multipart form that may be sent in place of JSON. */
    form?: TSchema;
    /** False where a request without a body is as good as one with an empty object. */
    bodyRequired?: boolean;
    /** Largest JSON body in bytes. */
    bodyLimitBytes: number;
    /** Values in it, at every level together; left out: `jsonValues`. */
    maxBodyValues?: number;
  };
  response: {
    status: 200 | 201 | 202;
    schema: TSchema;
    /** Where the answer is not JSON: its handler sends it itself, and the schema is that of the document alone. */
    mediaType?: 'text/event-stream' | 'image/jpeg';
    /** Shown in place of the schema's own example, where the operation answers with something more special. */
    example?: object;
    /** What comes on it, where the answer is a stream of events (`text/event-stream`) or may be one. */
    stream?: string;
  };
  /** Every code that the operation can answer with. */
  problems: readonly ProblemCode[];
};

/** What any route can answer: nobody is let in unasked, names are checked strictly, and anything can break. */
export const problemsOfEveryOperation = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'upstream_error',
  'upstream_unavailable',
] as const satisfies readonly ProblemCode[];

/** What a route that asks the studio on the account's behalf can answer besides. */
export const studioProblems = [...problemsOfEveryOperation, 'connection_expired'] as const;

/** What a create can answer: all that a quote and the accept can refuse. */
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

/** The scopes of which a key needs one, as a list in either case. */
export function acceptedScopes(operation: Operation): readonly Scope[] {
  return typeof operation.scope === 'string' ? [operation.scope] : operation.scope;
}
