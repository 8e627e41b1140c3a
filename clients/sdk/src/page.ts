import { type Answer, ApiPromise } from './api-promise.ts';

/** One page as the API gives it. */
type ListBody<T> = { data: T[]; page: number; limit: number; has_more: boolean };

/** @internal Asks for the page of this number; undefined is the first. */
export type FetchPage<T> = (page: number | undefined) => Promise<Answer<ListBody<T>>>;

/** One page of a list. Iterating over it goes on over all pages after it. */
export class Page<T extends object> implements AsyncIterable<T> {
  readonly data: T[];
  /** Number of the page, from 1. */
  readonly page: number;
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

  hasNextPage(): boolean {
    return this.#hasMore;
  }

  /** The page after this one. Throws where there is none: ask `hasNextPage()` first. */
  async getNextPage(): Promise<Page<T>> {
    if (!this.#hasMore) throw new Error('This is the last page: ask hasNextPage() first.');
    return new Page((await this.#fetchPage(this.page + 1)).data, this.#fetchPage);
  }

  /** All items from this page on, each once, though rows move to later pages while one reads. */
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

/** A promise of a list's first page; `for await` over it gives every item of every page. */
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
