import type { Dispatcher } from 'undici';

export const connectTimeoutMs = 5_000;
export const maxHeaderBytes = 16 * 1024;

/** One HTTP request to the studio. */
export type Request = {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  /**
   * A stream is sent as it comes; what it throws is thrown on as it is. Its chunks are given away:
   * their memory is given back when they have left.
   */
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
