import { type Answer, ApiPromise } from './api-promise.ts';

/** One page of a list, as the API returns it. */
type ListBody<T> = { data: T[]; page: number; limit: number; has_more: boolean };

/** @internal Fetches the page with this number. `undefined` means the first page. */
export type FetchPage<T> = (page: number | undefined) => Promise<Answer<ListBody<T>>>;

/** One page of a list. Iterating over a page continues over all later pages. */
export class Page<T extends object> implements AsyncIterable<T> {
  /** The items of this page. */
  readonly data: T[];
  /** Number of the page, 1-based. */
  readonly page: number;
  /** The most items that a page holds. */
  readonly limit: number;
  readonly #hasMore: boolean;
  readonly #fetchPage: FetchPage<T>;

  /** @internal */
  constructor(body: ListBody<T>, fetchPage: FetchPage<T>) {
    this.data = body.data;
    this.page = body.page;
    this.limit = body.limit;
    this.#hasMore = body.has_more;
    this.#fetchPage = fetchPage;
  }

  /** Returns whether there is a page after this one. */
  hasNextPage(): boolean {
    return this.#hasMore;
  }

  /** Fetches the next page. Throws on the last page, so call `hasNextPage()` first. */
  async getNextPage(): Promise<Page<T>> {
    if (!this.#hasMore) throw new Error('This is the last page: ask hasNextPage() first.');
    return new Page((await this.#fetchPage(this.page + 1)).data, this.#fetchPage);
  }

  /** Yields all items from this page on. Yields each item once, even when items move to later pages in the meantime. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const given = new Set<unknown>();
    let body = { data: this.data, page: this.page, has_more: this.#hasMore };
    while (true) {
      for (const item of body.data) {
        const id = (item as { id?: unknown }).id;
        if (id !== undefined && given.has(id)) continue;
        given.add(id);
        yield item;
      }
      if (!body.has_more) return;
      body = (await this.#fetchPage(body.page + 1)).data;
    }
  }
}

/** A promise of a list's first page. `for await` over the promise yields every item of every page. */
export class PagePromise<T extends object> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  /** @internal */
  static of<T extends object>(fetchPage: FetchPage<T>): PagePromise<T> {
    return new PagePromise(
      fetchPage(undefined).then(({ data, response }) => ({ data: new Page(data, fetchPage), response })),
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }
}
