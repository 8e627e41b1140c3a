import type { TSchema } from 'typebox';
import type { ProblemCode } from '../v1/problem-codes.ts';
import type { ConsoleProblemCode } from './problem-codes.ts';

/** One row of the table of the console's own operations. Refusals are the problem documents of the HTTP API. */
export type ConsoleOperation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A path with `{name}` for each parameter. */
  path: `/console/api/${string}`;
  summary: string;
  request: {
    /** A path that does not match gets `not_found`, never `invalid_request`. */
    params?: TSchema;
    /** Unknown query parameters are refused, even without a schema. */
    query?: TSchema;
    body?: TSchema;
    /** The maximum bytes and values of the body, if it may be larger than a body of the HTTP API. */
    bodyLimitBytes?: number;
    maxBodyValues?: number;
    /** The body is the bytes of a file. */
    bytes?: true;
  };
  response: { status: 200 | 201; schema: TSchema };
  /** All problem codes of the operation, in addition to `problemsOfTheConsole`. */
  problems: readonly (ProblemCode | ConsoleProblemCode)[];
};

/**
 * The problem codes of every operation: no session, a request from another site, an unknown name, too many requests, an
 * error.
 */
export const problemsOfTheConsole = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
] as const satisfies readonly ProblemCode[];
