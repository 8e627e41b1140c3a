import { ApiPromise } from './api-promise.ts';
import type {
  Account,
  Balance,
  Key,
  Limits,
  ListModelsQuery,
  ListStylesQuery,
  ListSuggestionsQuery,
  Model,
  Storage,
  Style,
  Suggestion,
} from './objects.generated.ts';
import { PagePromise } from './page.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** The account that owns the key. */
export class AccountResource {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the account: its plan, its credits and its permissions. */
  retrieve(options?: RequestOptions): ApiPromise<Account> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account', options }));
  }

  /** Returns the credits that the account can spend now: `(await rk.account.balance()).balance`. */
  balance(options?: RequestOptions): ApiPromise<Balance> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account/balance', options }));
  }

  /** Returns the key of this client: its scopes, its budget and what is left of the budget. */
  key(options?: RequestOptions): ApiPromise<Key> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/key', options }));
  }

  /** Returns how many generations may run at once, and how many are running. */
  limits(options?: RequestOptions): ApiPromise<Limits> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account/limits', options }));
  }

  /** Returns how many bytes the account stores, and how many it may store. */
  storage(options?: RequestOptions): ApiPromise<Storage> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account/storage', options }));
  }
}

/** A list of the catalog. The server returns the whole list in one page unless the query has `page`. */
class CatalogList<Item extends object, Query extends { page?: number | undefined }> {
  /** @internal */
  protected readonly transport: Transport;
  readonly #path: string;

  /** @internal */
  constructor(transport: Transport, path: string) {
    this.transport = transport;
    this.#path = path;
  }

  /** Lists all items: `for await (const item of …list())`, or `(await …list()).data`. */
  list(query?: Query, options?: RequestOptions): PagePromise<Item> {
    return PagePromise.of((page) =>
      this.transport.answer({
        method: 'GET',
        path: this.#path,
        query: { ...query, page: page ?? query?.page },
        options,
      }),
    );
  }
}

/** The models: which ones can render, and which values they accept. */
export class Models extends CatalogList<Model, ListModelsQuery> {
  /**
   * Returns one model, whether the account's plan includes the model or not: `await rk.models.retrieve('atelier-1')`.
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Model> {
    return new ApiPromise(
      this.transport.answer({ method: 'GET', path: `/v1/models/${encodeURIComponent(id)}`, options }),
    );
  }
}

/** Styles that a request can apply to a generation. */
export class Styles extends CatalogList<Style, ListStylesQuery> {}

/** Building blocks for prompts. */
export class Suggestions extends CatalogList<Suggestion, ListSuggestionsQuery> {}
