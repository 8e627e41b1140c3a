import type { WatchRow } from './store.ts';

/** An account whose feed is read, with the cursor up to which its changes are applied. */
export type Watched = { accountId: string; studioAccountId: string; cursor: number; addedAt: number };

/** How many accounts the studio's contract allows in one call. */
const accountsPerCall = 5_000;

/** The accounts whose feeds this process reads. */
export function createWatchList() {
  const watched = new Map<string, Watched>();
  const byStudioId = new Map<string, Watched>();
  const remove = (entry: Watched) => {
    watched.delete(entry.accountId);
    if (byStudioId.get(entry.studioAccountId) === entry) byStudioId.delete(entry.studioAccountId);
  };
  return {
    get size() {
      return watched.size;
    },
    has: (accountId: string) => watched.has(accountId),
    holds: (entry: Watched) => watched.get(entry.accountId) === entry,
    byStudioId: (studioAccountId: string) => byStudioId.get(studioAccountId),
    /** Returns the new entry; undefined if the account is already in the list. */
    add: (row: WatchRow): Watched | undefined => {
      if (watched.has(row.account_id)) return undefined;
      const entry = {
        accountId: row.account_id,
        studioAccountId: row.studio_account_id,
        cursor: row.cursor,
        addedAt: performance.now(),
      };
      watched.set(entry.accountId, entry);
      byStudioId.set(entry.studioAccountId, entry);
      return entry;
    },
    remove,
    /** Removes all accounts except these and those added after `asOf`, the moment at which these were read. */
    keepOnly: (accountIds: ReadonlySet<string>, asOf: number) => {
      for (const entry of watched.values())
        if (!accountIds.has(entry.accountId) && entry.addedAt < asOf) remove(entry);
    },
    /** Returns the members of the next call. If one call cannot hold all, those that waited longest come first. */
    next: (): Watched[] => {
      const members = [...watched.values()].slice(0, accountsPerCall);
      if (watched.size > accountsPerCall)
        for (const entry of members) {
          watched.delete(entry.accountId);
          watched.set(entry.accountId, entry);
        }
      return members;
    },
  };
}
