/** What an answer's headers say of the key's rate. Null where the server did not say. */
export type RateLimit = { limit: number | null; remaining: number | null };

/** An answer with what came beside its body. */
export type WithResponse<T> = {
  data: T;
  response: Response;
  /** Name it to the operator when something is strange. */
  requestId: string | null;
  rateLimit: RateLimit;
};

/** @internal An answer whose body was read. */
export type Answer<T> = { data: T; response: Response };

/**
 * A promise of an object of the API. `await` gives the object; `withResponse()` gives the object, the raw response, the
 * request's id and the rate; `asResponse()` the response alone.
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>;

  /** @internal */
  constructor(answer: Promise<Answer<T>>) {
    // The promise below is never looked at: whoever asks is handed to `#answer`, so that one failure is told once.
    super((resolve) => resolve(undefined as T));
    this.#answer = answer;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

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

  /** The response; its body was read already. */
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
