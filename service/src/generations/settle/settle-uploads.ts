import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { SettleUploads } from '../../uploads/ask-uploads.ts';
import type { UploadCrashPoint } from '../../uploads/crash-point.ts';
import type { UploadEnd } from '../../uploads/outcome-of.ts';
import { recordOutcomes } from '../../uploads/record-outcomes.ts';
import { failedMove } from './compose-transition.ts';
import { waitedForUpload } from './failure.ts';
import { readUnsettled } from './store.ts';
import { type Moved, moveGenerations } from './transition-store.ts';
import { lockAccounts, readWaiting, unblock } from './waiting-store.ts';

export type SettleUploadsOptions = {
  database: Database;
  /** Told of what failed, once it is committed. */
  onMoved: (moved: readonly Moved[]) => void;
  /** Told of accounts some of whose generations wait no more. */
  onUnblocked: (accountId: string) => void;
  /** Told of accounts whose events are to be delivered. */
  announceDeliveries: (accountIds: readonly string[]) => void;
  crashPoint?: UploadCrashPoint | undefined;
};

/** Uploads that end in one transaction at most. */
const endsAtOnce = 100;

/**
 * Makes the verb that ends uploads and, in the same transaction under their accounts' locks, lets the generations go
 * that waited for them, or fails them: a create that was accepted before is seen here, one after sees how the upload
 * ended.
 */
export function createSettleUploads(options: SettleUploadsOptions): SettleUploads {
  return async (ends) => {
    for (let i = 0; i < ends.length; i += endsAtOnce) await settle(options, ends.slice(i, i + endsAtOnce));
  };
}

async function settle(options: SettleUploadsOptions, ends: readonly UploadEnd[]): Promise<void> {
  const { moved, unblocked, due } = await options.database.transaction(async (transaction) => {
    await lockAccounts(transaction, [...new Set(ends.map(({ accountId }) => accountId))]);
    const recorded = await recordOutcomes(transaction, ends);
    await options.crashPoint?.('upload-settling');
    const ready = recorded.ended.filter(({ status }) => status === 'ready').map(({ id }) => id);
    const rejected = recorded.ended.filter(({ status }) => status === 'rejected').map(({ id }) => id);
    return {
      due: recorded.due,
      unblocked: ready.length === 0 ? [] : await unblock(transaction, ready),
      moved: rejected.length === 0 ? [] : await failWaiting(transaction, ends, rejected),
    };
  });
  options.onMoved(moved);
  options.announceDeliveries(due);
  for (const accountId of unblocked) options.onUnblocked(accountId);
}

async function failWaiting(
  transaction: Transaction,
  ends: readonly UploadEnd[],
  rejected: readonly string[],
): Promise<Moved[]> {
  const waiting = new Map((await readWaiting(transaction, rejected)).map((one) => [one.id, one]));
  if (waiting.size === 0) return [];
  const errors = new Map(ends.map((end) => [end.id, waitedForUpload(end.waitersError)]));
  const database = rowsOf(transaction);
  const moves = (await readUnsettled(database, [...waiting.values()])).flatMap((row) => {
    const error = errors.get(waiting.get(row.id)?.uploadId ?? '');
    return error === undefined || row.status !== 'queued'
      ? []
      : [failedMove(row, { from: 'queued', untouched: true, error })];
  });
  return moveGenerations(database, moves);
}

/** The transaction, as who only wants rows of one statement has it. */
function rowsOf(transaction: Transaction): Pick<Database, 'rows'> {
  return {
    rows: async (text, values = [], name) =>
      (await transaction.query({ text, values, ...(name !== undefined && { name }) })).rows,
  };
}
