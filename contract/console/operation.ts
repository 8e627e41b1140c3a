import type { TSchema } from 'typebox';
import type { ProblemCode } from '../v1/problem-codes.ts';
import type { ConsoleProblemCode } from './problem-codes.ts';

/** One row of the table of the console's own operations. Refusals are the problem documents of the HTTP API. */
export type ConsoleOperation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `{name}` for each parameter. */
  path: `/console/api/${string}`;
  summary: string;
  request: {
    /** A path that does not match answers `not_found`, never `invalid_request`. */
    params?: TSchema;
    /** Unknown query parameters are refused, where there is no schema too. */
    query?: TSchema;
    body?: TSchema;
    /** Bytes and values of it, where it may be larger than a body of the HTTP API. */
    bodyLimitBytes?: number;
    maxBodyValues?: number;
    /** The body is a file, sent as it is. */
    bytes?: true;
  };
  response: { status: 200 | 201; schema: TSchema };
  /** Every code that the operation can answer with, besides those of `problemsOfTheConsole`. */
  problems: readonly (ProblemCode | ConsoleProblemCode)[];
};

/** The codes of any operation: no session, a request of another site, an unknown name, too many requests, an error. */
export const problemsOfTheConsole = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
] as const satisfies readonly ProblemCode[];
