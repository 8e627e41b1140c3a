import type { AccountChanges } from '@renderkit/contract/studio/changes.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { keepPolling } from './keep-polling.ts';
import type { WatchRow } from './store.ts';
import { createWatchList, type Watched } from './watch-list.ts';

/** The changes that the feed returned for one account. */
export type ReadChanges = {
  accountId: string;
  changes: Extract<AccountChanges, { status: 'changes' }>['changes'];
  cursor: number;
};

/** Handles what the feed returns. `follow-feeds.ts` implements it; `apply-changes.ts` applies the changes. */
export type FeedReader = {
  apply: (changes: readonly ReadChanges[]) => Promise<void>;
  /**
   * Called when the account's cursor is too old: asks for all renders in flight, then continues from the new cursor.
   */
  reconcile: (accountId: string, cursor: number) => Promise<void>;
  /** Called when the studio reports that its grant for this account has ended. */
  ended: (accountId: string) => Promise<void>;
};

const waitSeconds = 20;
/**
 * How many extra calls serve accounts that were added after the long poll began. After that the long poll starts again.
 */
const extraCalls = 4;

/**
 * Holds one long poll at the studio for all accounts whose feed this process reads. An account that is added meanwhile
 * gets an extra call at once, and joins the long poll when it next starts.
 */
export class Feed implements AsyncDisposable {
  readonly #studioClient: Pick<StudioClient, 'call'>;
  readonly #log: Logger;
  readonly #list = createWatchList();
  readonly #stopping = new AbortController();
  readonly #extras = new Map<AbortController, Promise<void>>();
  #poll: Poll | undefined;
  #running: Promise<void> | undefined;
  #joining: Watched[] = [];
  #scheduled = false;
  #longCall: AbortController | undefined;
  #wake: (() => void) | undefined;

  constructor(options: { studioClient: Pick<StudioClient, 'call'>; log: Logger }) {
    this.#studioClient = options.studioClient;
    this.#log = options.log;
  }

  /** Starts to read. */
  start(reader: FeedReader): void {
    this.#poll = createPoll(this.#studioClient, reader, this.#list);
    this.#running = this.#run(this.#poll);
  }

  /** Reads these accounts' feeds from now on. Accounts that are already read keep their cursor. */
  add(rows: readonly WatchRow[]): void {
    for (const row of rows) {
      const entry = this.#list.add(row);
      if (entry !== undefined) this.#joining.push(entry);
    }
    this.#wake?.();
    if (this.#joining.length === 0 || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#join());
  }

  /** Stops reading all feeds except these accounts' and those added since `asOf` (performance.now()). */
  keepOnly(accountIds: ReadonlySet<string>, asOf: number): void {
    this.#list.keepOnly(accountIds, asOf);
  }

  has(accountId: string): boolean {
    return this.#list.has(accountId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('the feed is no longer read'));
    this.#wake?.();
    await Promise.all([this.#running, ...this.#extras.values()]);
  }

  async #run(poll: Poll): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#list.size === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      // All accounts join the long poll, so the extra calls are no longer needed.
      for (const extra of this.#extras.keys()) extra.abort();
      this.#joining = [];
      this.#longCall = new AbortController();
      const signal = AbortSignal.any([this.#longCall.signal, this.#stopping.signal]);
      await keepPolling({ members: this.#list.next, poll, signal, log: this.#log, once: true });
    }
  }

  #join(): void {
    this.#scheduled = false;
    const { holds } = this.#list;
    const members = this.#joining.filter(holds);
    this.#joining = [];
    if (members.length === 0 || this.#stopping.signal.aborted || this.#poll === undefined) return;
    if (this.#longCall === undefined || this.#extras.size >= extraCalls) return this.#longCall?.abort();
    const extra = new AbortController();
    const polling = keepPolling({
      members: () => members.filter(holds),
      poll: this.#poll,
      signal: AbortSignal.any([extra.signal, this.#stopping.signal]),
      log: this.#log,
    });
    this.#extras.set(
      extra,
      polling.finally(() => this.#extras.delete(extra)),
    );
  }
}

type Poll = ReturnType<typeof createPoll>;

/** Returns a function that makes one call for these accounts and handles its answer. */
function createPoll(
  studioClient: Pick<StudioClient, 'call'>,
  reader: FeedReader,
  list: ReturnType<typeof createWatchList>,
) {
  return async (members: readonly Watched[], signal: AbortSignal): Promise<void> => {
    const { accounts } = await studioClient.call('readChanges', {
      body: {
        accounts: members.map(({ studioAccountId: account, cursor }) => ({ account, cursor })),
        wait_seconds: waitSeconds,
      },
      signal,
    });
    const changed: [Watched, ReadChanges][] = [];
    for (const answer of accounts) {
      const entry = list.byStudioId(answer.account);
      if (entry === undefined) continue;
      if (answer.status === 'changes') changed.push([entry, changesOf(entry, answer)]);
      else await resetOrEnd(reader, list, entry, answer);
    }
    if (changed.length === 0) return;
    await reader.apply(changed.map(([, changes]) => changes));
    for (const [entry, { cursor }] of changed) entry.cursor = cursor;
  };
}

function changesOf(
  { accountId }: Watched,
  { changes, cursor }: Extract<AccountChanges, { status: 'changes' }>,
): ReadChanges {
  return { accountId, changes, cursor };
}

async function resetOrEnd(
  reader: FeedReader,
  list: ReturnType<typeof createWatchList>,
  entry: Watched,
  answer: Exclude<AccountChanges, { status: 'changes' }>,
): Promise<void> {
  if (answer.status === 'reset') {
    await reader.reconcile(entry.accountId, answer.cursor);
    entry.cursor = answer.cursor;
  } else {
    list.remove(entry);
    await reader.ended(entry.accountId);
  }
}
