import type { AccountChanges } from '@renderkit/contract/studio/changes.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import type { Told } from './apply-changes.ts';
import { keepPolling } from './keep-polling.ts';
import type { WatchRow } from './store.ts';
import { createWatchList, type Watched } from './watch-list.ts';

export type Feed = AsyncDisposable & {
  /** Reads these accounts' feeds from now on. Known ones stay where they are. */
  add: (watches: readonly WatchRow[]) => void;
  /** Reads no other feeds than these accounts', and those of whoever was added since `asOf` (performance.now()). */
  keepOnly: (accountIds: ReadonlySet<string>, asOf: number) => void;
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

const waitSeconds = 20;
/** Extra calls for accounts that came after the long one began; one more, and the long one begins anew. */
const extraCalls = 4;

/**
 * One long poll at the studio for all accounts that this process watches. An account that comes while it is held goes
 * in an extra call at once, and joins the long one at its next turn.
 */
export function startFeed(options: FeedOptions): Feed {
  const { log } = options;
  const list = createWatchList();
  const stopping = new AbortController();
  const poll = createPoll(options, list);
  let joining: Watched[] = [];
  let scheduled = false;
  let longCall: AbortController | undefined;
  let wake: (() => void) | undefined;
  const extras = new Map<AbortController, Promise<void>>();

  const run = async () => {
    while (!stopping.signal.aborted) {
      if (list.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      // All join: the extra calls have done their part.
      for (const extra of extras.keys()) extra.abort();
      joining = [];
      longCall = new AbortController();
      const signal = AbortSignal.any([longCall.signal, stopping.signal]);
      await keepPolling({ members: list.next, poll, signal, log, once: true });
    }
  };
  const join = () => {
    scheduled = false;
    const members = joining.filter(list.holds);
    joining = [];
    if (members.length === 0 || stopping.signal.aborted) return;
    if (longCall === undefined || extras.size >= extraCalls) return longCall?.abort();
    const extra = new AbortController();
    const signal = AbortSignal.any([extra.signal, stopping.signal]);
    const polling = keepPolling({ members: () => members.filter(list.holds), poll, signal, log });
    extras.set(
      extra,
      polling.finally(() => extras.delete(extra)),
    );
  };
  const running = run();

  return {
    add: (rows) => {
      for (const row of rows) {
        const entry = list.add(row);
        if (entry !== undefined) joining.push(entry);
      }
      wake?.();
      if (joining.length === 0 || scheduled) return;
      scheduled = true;
      setImmediate(join);
    },
    keepOnly: list.keepOnly,
    has: list.has,
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('the feed is no longer read'));
      wake?.();
      await Promise.all([running, ...extras.values()]);
    },
  };
}

/** One call for these accounts, and what follows from its answer. */
function createPoll(options: FeedOptions, list: ReturnType<typeof createWatchList>) {
  return async (members: readonly Watched[], signal: AbortSignal): Promise<void> => {
    const { accounts } = await options.studioClient.call('readChanges', {
      body: {
        accounts: members.map(({ studioAccountId: account, cursor }) => ({ account, cursor })),
        wait_seconds: waitSeconds,
      },
      signal,
    });
    const moved: [Watched, Told][] = [];
    for (const answer of accounts) {
      const entry = list.byStudioId(answer.account);
      if (entry === undefined) continue;
      if (answer.status === 'changes') moved.push([entry, toldOf(entry, answer)]);
      else await turn(options, list, entry, answer);
    }
    if (moved.length === 0) return;
    await options.apply(moved.map(([, told]) => told));
    for (const [entry, { cursor }] of moved) entry.cursor = cursor;
  };
}

function toldOf(
  { accountId }: Watched,
  { changes, cursor }: Extract<AccountChanges, { status: 'changes' }>,
): Told {
  return { accountId, changes, cursor };
}

async function turn(
  options: FeedOptions,
  list: ReturnType<typeof createWatchList>,
  entry: Watched,
  answer: Exclude<AccountChanges, { status: 'changes' }>,
): Promise<void> {
  if (answer.status === 'reset') {
    await options.reconcile(entry.accountId, answer.cursor);
    entry.cursor = answer.cursor;
  } else {
    list.remove(entry);
    await options.ended(entry.accountId);
  }
}
