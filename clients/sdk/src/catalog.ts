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

/** The account behind the key. */
export class AccountResource {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Its plan, its credits, what it may do. */
  retrieve(options?: RequestOptions): ApiPromise<Account> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account', options }));
  }

  /** What can be spent now, in credits: `(await rk.account.balance()).balance`. */
  balance(options?: RequestOptions): ApiPromise<Balance> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account/balance', options }));
  }

  /** The key that the client has: its scopes, its budget and what is left of it. */
  key(options?: RequestOptions): ApiPromise<Key> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/key', options }));
  }

  /** How many generations may run at once, and how many do. */
  limits(options?: RequestOptions): ApiPromise<Limits> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account/limits', options }));
  }

  /** How many bytes are stored, and may be. */
  storage(options?: RequestOptions): ApiPromise<Storage> {
    return new ApiPromise(this.#transport.answer({ method: 'GET', path: '/v1/account/storage', options }));
  }
}

/** A list of the catalog: it comes whole unless a page is asked for. */
class CatalogList<Item extends object, Query extends { page?: number | undefined }> {
  /** @internal */
  protected readonly transport: Transport;
  readonly #path: string;

  /** @internal */
  constructor(transport: Transport, path: string) {
    this.transport = transport;
    this.#path = path;
  }

  /** All of them: `for await (const item of …list())`, or `(await …list()).data`. */
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

/** What can render, and what it takes. */
export class Models extends CatalogList<Model, ListModelsQuery> {
  /** Any model, in the plan or not: `await rk.models.retrieve('atelier-1')`. */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Model> {
    return new ApiPromise(
      this.transport.answer({ method: 'GET', path: `/v1/models/${encodeURIComponent(id)}`, options }),
    );
  }
}

/** Looks that can be laid over a generation. */
export class Styles extends CatalogList<Style, ListStylesQuery> {}

/** Building blocks for prompts. */
export class Suggestions extends CatalogList<Suggestion, ListSuggestionsQuery> {}
