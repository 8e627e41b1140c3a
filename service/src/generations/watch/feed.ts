import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountChanges } from '@renderkit/contract/studio/schemas.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import type { Told } from './apply-changes.ts';
import type { WatchRow } from './store.ts';

export type Feed = AsyncDisposable & {
  /** Reads these accounts' feeds from now on. Known ones stay where they are. */
  add: (watches: readonly WatchRow[]) => void;
  /** Reads no other feeds than these accounts' from now on. */
  keepOnly: (accountIds: ReadonlySet<string>) => void;
  has: (accountId: string) => boolean;
};

export type FeedOptions = {
  studioClient: Pick<StudioClient, 'call'>;
  log: Logger;
  apply: (told: readonly Told[]) => Promise<void>;
  /** The account's cursor is too old: everything in flight is to be asked for before it goes on from the new one. */
  reconcile: (accountId: string, cursor: number) => Promise<void>;
  /** The studio says that it has no grant for us any more. */
  ended: (accountId: string) => Promise<void>;
};

type Watched = { accountId: string; studioAccountId: string; cursor: number };

/** The studio's contract takes no more accounts in one call. */
const accountsPerCall = 5_000;
const waitSeconds = 20;
/** Extra calls for accounts that came after the long one began; one more, and the long one begins anew. */
const extraCalls = 4;
const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * One long poll at the studio for all accounts that this process watches. An account that comes while it is held goes
 * in an extra call at once, and joins the long one at its next turn.
 */
export function startFeed(options: FeedOptions): Feed {
  const watched = new Map<string, Watched>();
  const byStudioId = new Map<string, Watched>();
  const stopping = new AbortController();
  let joining: Watched[] = [];
  let scheduled = false;
  let turn: AbortController | undefined;
  const extras = new Set<AbortController>();
  let wakeMain: (() => void) | undefined;
  const underWay = new Set<Promise<void>>();

  const poll = async (members: readonly Watched[], signal: AbortSignal): Promise<void> => {
    const answer = await options.studioClient.call('readChanges', {
      body: {
        accounts: members.map(({ studioAccountId: account, cursor }) => ({ account, cursor })),
        wait_seconds: waitSeconds,
      },
      signal,
    });
    await take(answer.accounts);
  };
  const take = async (answers: readonly AccountChanges[]) => {
    const told: (Told & { entry: Watched })[] = [];
    for (const answer of answers) {
      const entry = byStudioId.get(answer.account);
      if (entry === undefined) continue;
      const { accountId } = entry;
      if (answer.status === 'changes')
        told.push({ accountId, changes: answer.changes, cursor: answer.cursor, entry });
      else if (answer.status === 'reset') {
        await options.reconcile(accountId, answer.cursor);
        entry.cursor = answer.cursor;
      } else {
        forget(entry);
        await options.ended(accountId);
      }
    }
    if (told.length === 0) return;
    await options.apply(told);
    for (const { entry, cursor } of told) entry.cursor = cursor;
  };
  const forget = (entry: Watched) => {
    watched.delete(entry.accountId);
    if (byStudioId.get(entry.studioAccountId) === entry) byStudioId.delete(entry.studioAccountId);
  };

  /** Polls the members again and again until the signal aborts. */
  const keepPolling = async (members: () => readonly Watched[], signal: AbortSignal, turns: number) => {
    let failures = 0;
    for (let i = 0; i < turns && !signal.aborted; i++) {
      const asked = members();
      if (asked.length === 0) return;
      try {
        await poll(asked, signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        const level = failures === 3 ? 'warn' : 'debug';
        options.log[level]({ err: error, failures }, 'the feed of the studio could not be read');
        const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 10));
        await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
        i--;
      }
    }
  };
  const main = async () => {
    while (!stopping.signal.aborted) {
      if (watched.size === 0) {
        await new Promise<void>((resolve) => {
          wakeMain = resolve;
        });
        continue;
      }
      // All join: the extra calls have done their part.
      for (const extra of extras) extra.abort();
      joining = [];
      turn = new AbortController();
      const signal = AbortSignal.any([turn.signal, stopping.signal]);
      await keepPolling(() => nextMembers(watched), signal, 1);
    }
  };
  const startExtra = () => {
    scheduled = false;
    const members = joining.filter((entry) => watched.get(entry.accountId) === entry);
    joining = [];
    if (members.length === 0 || stopping.signal.aborted) return;
    if (turn === undefined || extras.size >= extraCalls) {
      turn?.abort();
      return;
    }
    const extra = new AbortController();
    extras.add(extra);
    const signal = AbortSignal.any([extra.signal, stopping.signal]);
    const still = () => members.filter((entry) => watched.get(entry.accountId) === entry);
    track(keepPolling(still, signal, Number.MAX_SAFE_INTEGER).finally(() => extras.delete(extra)));
  };
  const track = (work: Promise<void>) => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };
  track(main());

  return {
    add: (rows) => {
      for (const row of rows) {
        if (watched.has(row.account_id)) continue;
        const entry = {
          accountId: row.account_id,
          studioAccountId: row.studio_account_id,
          cursor: row.cursor,
        };
        watched.set(entry.accountId, entry);
        byStudioId.set(entry.studioAccountId, entry);
        joining.push(entry);
      }
      wakeMain?.();
      if (joining.length === 0 || scheduled) return;
      scheduled = true;
      setImmediate(startExtra);
    },
    keepOnly: (accountIds) => {
      for (const entry of watched.values()) if (!accountIds.has(entry.accountId)) forget(entry);
    },
    has: (accountId) => watched.has(accountId),
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('the feed is no longer read'));
      wakeMain?.();
      await Promise.all(underWay);
    },
  };
}

/** Those who waited longest come first where there are more than one call takes. */
function nextMembers(watched: Map<string, Watched>): Watched[] {
  const members = [...watched.values()].slice(0, accountsPerCall);
  if (watched.size > accountsPerCall)
    for (const entry of members) {
      watched.delete(entry.accountId);
      watched.set(entry.accountId, entry);
    }
  return members;
}
