import { createHash } from 'node:crypto';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import { LRUCache } from 'lru-cache';
import type { StudioClient } from '../studio-client/studio-client.ts';

/** The most accounts whose catalog is cached, and the most bytes of distinct catalogs, as JSON. */
const maxAccounts = 20_000;
const maxCatalogBytes = 16 * 1024 * 1024;

export type CatalogRead = {
  catalog: Catalog;
  /** When the studio last confirmed this catalog, by `performance.now()`. */
  readAt: number;
};

export type CatalogCache = {
  /** Returns the account's catalog, not older than `maxAgeMs` (any age when not given). @throws StudioFailure */
  get: (accountId: string, options?: { maxAgeMs?: number }) => Promise<CatalogRead>;
  /** Returns the cached catalog without asking the studio. */
  peek: (accountId: string) => CatalogRead | undefined;
};

type Known = { etag: string | undefined; digest: string; readAt: number };
type Reading = { startedAt: number; read: Promise<CatalogRead> };

/**
 * Caches the studio's catalogs per account. Accounts with equal catalogs share one copy. So each content is parsed,
 * checked and indexed once, and not once per account or request. `service/src/quotes/validate-and-quote.ts` decides how
 * old a catalog may be.
 */
export function createCatalogCache(studioClient: StudioClient): CatalogCache {
  const accounts = new LRUCache<string, Known>({ max: maxAccounts });
  const catalogs = new LRUCache<string, { catalog: Catalog; bytes: number }>({
    maxSize: maxCatalogBytes,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
  });
  const underWay = new Map<string, Reading>();

  const peek = (accountId: string): CatalogRead | undefined => {
    const known = accounts.get(accountId);
    const kept = known === undefined ? undefined : catalogs.get(known.digest);
    return kept === undefined ? undefined : { catalog: kept.catalog, readAt: known?.readAt ?? 0 };
  };

  const read = async (accountId: string, startedAt: number): Promise<CatalogRead> => {
    const atHand = peek(accountId);
    const known = atHand === undefined ? undefined : accounts.get(accountId);
    const answer = await studioClient.fetchCatalog(accountId, known?.etag);
    if (answer === 'unchanged') {
      // The client only sends the tag of a catalog that it has, so the catalog must be there.
      if (known === undefined || atHand === undefined)
        throw new Error('a catalog is unchanged that nobody has');
      accounts.set(accountId, { ...known, readAt: startedAt });
      return { catalog: atHand.catalog, readAt: startedAt };
    }
    const digest = createHash('sha256').update(answer.bytes).digest('base64');
    let kept = catalogs.get(digest);
    if (kept === undefined) {
      kept = { catalog: studioClient.readCatalog(answer.bytes), bytes: answer.bytes.length };
      catalogs.set(digest, kept);
    }
    accounts.set(accountId, { etag: answer.etag, digest, readAt: startedAt });
    return { catalog: kept.catalog, readAt: startedAt };
  };

  return {
    peek,
    get: async (accountId, { maxAgeMs = Number.POSITIVE_INFINITY } = {}) => {
      const now = performance.now();
      const atHand = peek(accountId);
      if (atHand !== undefined && now - atHand.readAt <= maxAgeMs) return atHand;
      const reading = underWay.get(accountId);
      // A read that began earlier than `maxAgeMs` ago may bring a catalog that is too old.
      if (reading !== undefined && now - reading.startedAt <= maxAgeMs) return reading.read;
      const mine: Reading = {
        startedAt: now,
        read: read(accountId, now).finally(() => {
          if (underWay.get(accountId) === mine) underWay.delete(accountId);
        }),
      };
      underWay.set(accountId, mine);
      return mine.read;
    },
  };
}
