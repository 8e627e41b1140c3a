import type { AccountChanges } from '@renderkit/contract/studio/changes.ts';
import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type MovedRow, readMoved, type Watched } from './store.ts';

/**
 * Wakes waiting polls with the ids of accounts or renders that changed. `studio/src/app.ts` calls `wake` when the
 * database notifies. A notification may get lost.
 */
export type Wakeups = {
  /** Calls `onMoved` with the ids that may have changed. Returns a function that unsubscribes. */
  subscribe: (onMoved: (ids: string[]) => void) => () => void;
};

// A notification may get lost: every reader looks again after this time at the latest.
const floorMs = 1_000;
// Changes of one burst are answered together.
const gatherChangesMs = 5;

/** Passes notifications of changes to all polls of this process. */
export function createWakeups(): Wakeups & { wake: (ids: string[]) => void } {
  const listeners = new Set<(ids: string[]) => void>();
  return {
    wake: (ids) => {
      for (const listener of listeners) listener(ids);
    },
    subscribe: (onMoved) => {
      listeners.add(onMoved);
      return () => listeners.delete(onMoved);
    },
  };
}

export type WatchOptions = {
  client: string;
  watched: Watched[];
  waitMs: number;
  /** Aborted when the client has gone or the studio stops. The answer is then what is there. */
  signal: AbortSignal;
  presentRender: (render: Render) => Render;
  presentUpload: (upload: StudioUpload) => StudioUpload;
};

/**
 * The long poll: answers as soon as one of the accounts has moved past its cursor, was reset or has ended. Answers with
 * an empty list when the time is up. Holds no database connection while it waits.
 */
export async function watchChanges(
  database: Database,
  wakeups: Wakeups,
  options: WatchOptions,
): Promise<AccountChanges[]> {
  const byAccount = new Map(options.watched.map((pair) => [pair.account, pair]));
  const woken = new Set<string>();
  let onWake: (() => void) | undefined;
  // Subscribes before the first look, so that changes during this look are not missed.
  const unsubscribe = wakeups.subscribe((accounts) => {
    for (const account of accounts) if (byAccount.has(account)) woken.add(account);
    if (woken.size > 0) onWake?.();
  });
  try {
    const deadline = performance.now() + options.waitMs;
    let lookAt = options.watched;
    for (;;) {
      const moved = await readMoved(database, options.client, lookAt);
      if (moved.length > 0) return moved.map((row) => present(row, options));
      const left = deadline - performance.now();
      if (left <= 0 || options.signal.aborted) return [];
      const wait = { ms: Math.min(left, floorMs), gatherMs: gatherChangesMs, isWoken: woken.size > 0 };
      await waitForWake(wait, options.signal, (wake) => (onWake = wake));
      lookAt = woken.size > 0 ? [...woken].flatMap((id) => byAccount.get(id) ?? []) : options.watched;
      woken.clear();
    }
  } finally {
    unsubscribe();
  }
}

/** Waits for `ms`, or until woken or aborted. After a wake-up, waits another `gatherMs` to collect further changes. */
export async function waitForWake(
  { ms, gatherMs, isWoken }: { ms: number; gatherMs: number; isWoken: boolean },
  signal: AbortSignal,
  setWake: (wake: (() => void) | undefined) => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let end = () => {};
  await new Promise<void>((resolve) => {
    end = resolve;
    timer = setTimeout(resolve, isWoken ? gatherMs : ms);
    signal.addEventListener('abort', end);
    setWake(() => {
      setWake(undefined);
      clearTimeout(timer);
      timer = setTimeout(resolve, gatherMs);
    });
  });
  setWake(undefined);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}

function present(
  row: MovedRow,
  { presentRender, presentUpload }: Pick<WatchOptions, 'presentRender' | 'presentUpload'>,
): AccountChanges {
  const { account, status } = row;
  if (status === 'ended') return { account, status };
  const cursor = row.cursor ?? 0;
  if (status === 'reset') return { account, status, cursor };
  const changes = (row.changes ?? []).map(({ render, upload, ...change }) => ({
    ...change,
    ...(change.type === 'render' && !isThere(render) && { barred: true as const }),
    ...(isThere(render) && { render: presentRender(render as Render) }),
    ...(isThere(upload) && { upload: presentUpload(upload as StudioUpload) }),
  }));
  return { account, status, changes, cursor };
}

const isThere = (value: unknown) => value !== undefined && value !== null;
