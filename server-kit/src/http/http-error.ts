/**
 * A request that the framework, the router or the HTTP parser rejected, or an error that a route threw.
 * `create-http-server.ts` and `request-head.ts` make `HttpError`s.
 */
export type HttpError = {
  reason: 'malformed' | 'headers_too_large' | 'too_slow' | 'not_found' | 'media_type' | 'unexpected';
  /** One sentence, fit for the client. */
  detail: string;
  cause?: unknown;
};
