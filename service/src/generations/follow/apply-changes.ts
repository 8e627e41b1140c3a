import type { AccountChanges } from '@renderkit/contract/studio/changes.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import type { SettleUploads } from '../../uploads/ask-uploads.ts';
import { endOf, type UploadEnd } from '../../uploads/outcome-of.ts';
import type { Said, Settlement } from '../settle/settlement.ts';
import { recordUnapplied } from '../settle/store.ts';

/** What the feed told of one of our accounts. */
export type Told = {
  accountId: string;
  changes: Extract<AccountChanges, { status: 'changes' }>['changes'];
  cursor: number;
};

type Change = Told['changes'][number];

/** A token that the studio will never take. */
type Barred = { accountId: string; id: string };

export type ApplyChangesOptions = {
  database: Database;
  settlement: Settlement;
  settleUploads: SettleUploads;
  studioClient: Pick<StudioClient, 'readRender' | 'readUpload'>;
  log: Logger;
};

/** Changes that share a statement at most. */
const changesAtOnce = 200;

/**
 * Makes the verb that applies what the feed told. Each account's cursor is stored with what its changes caused. A
 * change that cannot be applied is recorded and passed by, and holds up nobody.
 * @throws where the database is out of reach: nothing is passed by then
 */
export function createApplyChanges(options: ApplyChangesOptions): (told: readonly Told[]) => Promise<void> {
  return async (told) => {
    for (const group of groupsOf(told)) {
      const said: Said[] = [];
      const ends: UploadEnd[] = [];
      const barred: Barred[] = [];
      for (const { accountId, changes } of group)
        for (const change of changes) {
          if (change.barred === true) {
            barred.push({ accountId, id: change.token });
            continue;
          }
          const one = await readChange(options, accountId, change);
          if (one === undefined) continue;
          if ('render' in one) said.push(one);
          else ends.push(one);
        }
      try {
        // Before the cursors move on.
        await options.settleUploads(ends);
        await options.settlement.bar(barred);
        await options.settlement.apply(said, group);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        options.log.warn({ err: error }, 'changes could not be applied together; they are applied singly');
        for (const account of group) await applySingly(options, account, { said, ends, barred });
      }
    }
  };
}

async function applySingly(
  options: ApplyChangesOptions,
  told: Told,
  { said, ends, barred }: { said: readonly Said[]; ends: readonly UploadEnd[]; barred: readonly Barred[] },
): Promise<void> {
  for (const change of told.changes) {
    const one = said.find(
      ({ accountId, render }) => accountId === told.accountId && render.token === change.token,
    );
    const isIts = ({ accountId, id }: Barred) => accountId === told.accountId && id === change.token;
    const end = ends.find(isIts);
    try {
      await options.settlement.bar(barred.filter(isIts));
      if (one !== undefined) await options.settlement.apply([one]);
      if (end !== undefined) await options.settleUploads([end]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      await passBy(options, told.accountId, change, error);
    }
  }
  await options.settlement.apply([], [told]);
}

async function readChange(
  options: ApplyChangesOptions,
  accountId: string,
  change: Change,
): Promise<Said | UploadEnd | undefined> {
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

function groupsOf(told: readonly Told[]): Told[][] {
  const groups: Told[][] = [];
  let room = 0;
  for (const account of told) {
    if (room < account.changes.length || groups.length === 0) {
      groups.push([]);
      room = changesAtOnce;
    }
    groups.at(-1)?.push(account);
    room -= Math.max(1, account.changes.length);
  }
  return groups;
}
