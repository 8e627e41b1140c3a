/** A request that the framework, the router or the parser of HTTP could not take, or an error below a route. */
export type HttpError = {
  reason: 'malformed' | 'headers_too_large' | 'too_slow' | 'not_found' | 'media_type' | 'unexpected';
  /** One sentence, fit for the client. */
  detail: string;
  cause?: unknown;
};
