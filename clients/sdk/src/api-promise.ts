/** The rate limit of the key, from the response headers. `null` where the server did not send the header. */
export type RateLimit = { limit: number | null; remaining: number | null };

/** An object of the API together with its HTTP response. */
export type WithResponse<T> = {
  /** The object of the API. */
  data: T;
  /** The raw response. Its body was read already. */
  response: Response;
  /** Id of the request, from the header X-Request-Id. Give this id to the operator when you report a problem. */
  requestId: string | null;
  rateLimit: RateLimit;
};

/** @internal A response and its parsed body. */
export type Answer<T> = { data: T; response: Response };

/**
 * A promise of an object of the API. `await` returns the object. `withResponse()` returns the object, the raw response,
 * the request's id and the rate limit. `asResponse()` returns the response alone.
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>;

  /** @internal */
  constructor(answer: Promise<Answer<T>>) {
    // `then`, `catch` and `finally` read from `#answer`, so a failure is reported only once. The promise of the base
    // class is never used.
    super((resolve) => resolve(undefined as T));
    this.#answer = answer;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the object together with the response, the request's id and the rate limit. */
  async withResponse(): Promise<WithResponse<T>> {
    const { data, response } = await this.#answer;
    return {
      data,
      response,
      requestId: response.headers.get('x-request-id'),
      rateLimit: {
        limit: numberOf(response.headers.get('x-ratelimit-limit')),
        remaining: numberOf(response.headers.get('x-ratelimit-remaining')),
      },
    };
  }

  /** Returns the response. Its body was read already. */
  async asResponse(): Promise<Response> {
    return (await this.#answer).response;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  override catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  override finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#answer.then(({ data }) => data).finally(onFinally);
  }
}

function numberOf(text: string | null): number | null {
  return text === null || !/^\d+$/.test(text) ? null : Number(text);
}
