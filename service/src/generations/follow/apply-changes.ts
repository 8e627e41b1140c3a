import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { endOf, type SettleUploads, type UploadEnd } from '../../uploads/record-outcomes.ts';
import type { RenderReport, Settlement } from '../settle/settlement.ts';
import { recordUnapplied } from '../settle/store.ts';
import type { ReadChanges } from './feed.ts';

type Change = ReadChanges['changes'][number];

/** A token that the studio will never accept. */
type Tombstoned = { accountId: string; id: string };

export type ApplyChangesOptions = {
  database: Database;
  settlement: Settlement;
  settleUploads: SettleUploads;
  studioClient: Pick<StudioClient, 'readRender' | 'readUpload'>;
  log: Logger;
};

/** How many changes share a statement at most. */
const changesAtOnce = 200;

/**
 * Returns a function that applies changes from the feed. It stores each account's cursor together with the effects of
 * the changes. It records a change that cannot be applied and continues with the next one.
 * @throws when the database is unavailable: then no change is skipped
 */
export function createApplyChanges(
  options: ApplyChangesOptions,
): (read: readonly ReadChanges[]) => Promise<void> {
  return async (read) => {
    for (const group of groupsOf(read)) {
      const reports: RenderReport[] = [];
      const ends: UploadEnd[] = [];
      const tombstoned: Tombstoned[] = [];
      for (const { accountId, changes } of group)
        for (const change of changes) {
          if (change.barred === true) {
            tombstoned.push({ accountId, id: change.token });
            continue;
          }
          const one = await readChange(options, accountId, change);
          if (one === undefined) continue;
          if ('render' in one) reports.push(one);
          else ends.push(one);
        }
      try {
        // These two come before the cursors are stored.
        await options.settleUploads(ends);
        await options.settlement.failTombstoned(tombstoned);
        await options.settlement.apply(reports, group);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        options.log.warn({ err: error }, 'changes could not be applied together; they are applied singly');
        for (const account of group) await applySingly(options, account, { reports, ends, tombstoned });
      }
    }
  };
}

async function applySingly(
  options: ApplyChangesOptions,
  account: ReadChanges,
  {
    reports,
    ends,
    tombstoned,
  }: { reports: readonly RenderReport[]; ends: readonly UploadEnd[]; tombstoned: readonly Tombstoned[] },
): Promise<void> {
  for (const change of account.changes) {
    const one = reports.find(
      ({ accountId, render }) => accountId === account.accountId && render.token === change.token,
    );
    const isIts = ({ accountId, id }: Tombstoned) => accountId === account.accountId && id === change.token;
    const end = ends.find(isIts);
    try {
      await options.settlement.failTombstoned(tombstoned.filter(isIts));
      if (one !== undefined) await options.settlement.apply([one]);
      if (end !== undefined) await options.settleUploads([end]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      await passBy(options, account.accountId, change, error);
    }
  }
  await options.settlement.apply([], [account]);
}

async function readChange(
  options: ApplyChangesOptions,
  accountId: string,
  change: Change,
): Promise<RenderReport | UploadEnd | undefined> {
  try {
    if (change.type === 'upload') {
      const upload = options.studioClient.readUpload(change.upload);
      if (upload.token !== change.token) throw new Error('the upload is not the one that the change names');
      return endOf(accountId, upload);
    }
    const render = options.studioClient.readRender(change.render);
    if (render.token !== change.token) throw new Error('the render is not the one that the change names');
    return { accountId, render };
  } catch (error) {
    await passBy(options, accountId, change, error);
    return undefined;
  }
}

async function passBy(
  options: ApplyChangesOptions,
  accountId: string,
  change: Change,
  error: unknown,
): Promise<void> {
  options.log.error(
    { accountId, token: change.token, seq: change.seq, err: error },
    'a change could not be applied and was passed by',
  );
  await recordUnapplied(options.database, {
    accountId,
    seq: change.seq,
    token: change.token,
    content: JSON.stringify(change.render ?? change.upload ?? null),
    reason: error instanceof Error ? error.message : String(error),
  });
}

function groupsOf(read: readonly ReadChanges[]): ReadChanges[][] {
  const groups: ReadChanges[][] = [];
  let free = 0;
  for (const account of read) {
    if (free < account.changes.length || groups.length === 0) {
      groups.push([]);
      free = changesAtOnce;
    }
    groups.at(-1)?.push(account);
    free -= Math.max(1, account.changes.length);
  }
  return groups;
}
