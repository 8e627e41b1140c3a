import type { AccountChanges } from '@renderkit/contract/studio/changes.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { keepPolling } from './keep-polling.ts';
import type { WatchRow } from './store.ts';
import { createWatchList, type Watched } from './watch-list.ts';

/** What the feed brought of one of our accounts. */
export type ReadChanges = {
  accountId: string;
  changes: Extract<AccountChanges, { status: 'changes' }>['changes'];
  cursor: number;
};

/** What becomes of what the feed brings. */
export type FeedReader = {
  apply: (changes: readonly ReadChanges[]) => Promise<void>;
  /** The account's cursor is too old: everything in flight is to be asked for before it goes on from the new one. */
  reconcile: (accountId: string, cursor: number) => Promise<void>;
  /** The studio says that it has no grant for us any more. */
  ended: (accountId: string) => Promise<void>;
};

const waitSeconds = 20;
/** Extra calls for accounts that came after the long one began; one more, and the long one begins anew. */
const extraCalls = 4;

/**
 * One long poll at the studio for all accounts whose feed this process reads. An account that comes while it is held goes
 * in an extra call at once, and joins the long one at its next turn.
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

  /** Begins to read. */
  start(reader: FeedReader): void {
    this.#poll = createPoll(this.#studioClient, reader, this.#list);
    this.#running = this.#run(this.#poll);
  }

  /** Reads these accounts' feeds from now on. Known ones stay where they are. */
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

  /** Reads no other feeds than these accounts', and those of whoever was added since `asOf` (performance.now()). */
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
      // All join: the extra calls have done their part.
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

/** One call for these accounts, and what follows from its answer. */
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
