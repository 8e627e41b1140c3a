import type { TSchema } from 'typebox';

/**
 * Who may call: anyone, a client with an account's token, or the service's own client (HTTP Basic, RFC 6749 §2.3.1).
 */
export type StudioCaller = 'anyone' | 'account' | 'client';

export type StudioOperation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/api/${string}`;
  caller: StudioCaller;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** The body contains a complete list with up to thousands of entries. */
  list?: true;
  /** The body is a file, streamed as `application/octet-stream`. */
  bytes?: true;
  answer: TSchema;
};
