import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { CrashPoint } from '../../test-hooks.ts';
import { recordOutcomes, type SettleUploads, type UploadEnd } from '../../uploads/record-outcomes.ts';
import type { Deliveries } from '../../webhooks/deliveries/start-deliveries.ts';
import type { WokenAccounts } from '../dispatch/woken-accounts.ts';
import type { TransitionAnnouncer } from './announce-transitions.ts';
import { toFailed } from './compose-transition.ts';
import { waitedForUpload } from './failure-sentences.ts';
import { readUnsettled } from './store.ts';
import { type Transitioned, transitionGenerations } from './transition-store.ts';
import { lockAccounts, readWaiting, unblock } from './waiting-store.ts';

export type SettleUploadsOptions = {
  database: Database;
  announcer: Pick<TransitionAnnouncer, 'announce' | 'announceEvents'>;
  wokenAccounts: Pick<WokenAccounts, 'wake'>;
  deliveries: Pick<Deliveries, 'announce'>;
  crashPoint?: CrashPoint | undefined;
};

/** How many uploads end in one transaction at most. */
const endsAtOnce = 100;

/**
 * Returns the use case that ends uploads. In the same transaction, under their accounts' locks, it unblocks or fails
 * the generations that wait for them. So a create that was accepted before is handled here, and a later one sees how
 * the upload ended. The studio decides whether a file is accepted: `studio/src/uploads/check-upload.ts`.
 * `service/src/uploads/reconcile.ts` ends uploads whose check takes too long.
 */
export function createSettleUploads(options: SettleUploadsOptions): SettleUploads {
  return async (ends) => {
    for (let i = 0; i < ends.length; i += endsAtOnce) await settle(options, ends.slice(i, i + endsAtOnce));
  };
}

async function settle(options: SettleUploadsOptions, ends: readonly UploadEnd[]): Promise<void> {
  const { failed, unblocked, due, ended } = await options.database.transaction(async (transaction) => {
    await lockAccounts(transaction, [...new Set(ends.map(({ accountId }) => accountId))]);
    const recorded = await recordOutcomes(transaction, ends);
    await options.crashPoint?.('upload-settling');
    const ready = recorded.ended.filter(({ status }) => status === 'ready').map(({ id }) => id);
    const rejected = recorded.ended.filter(({ status }) => status === 'rejected').map(({ id }) => id);
    return {
      due: recorded.due,
      ended: recorded.ended,
      unblocked: ready.length === 0 ? [] : await unblock(transaction, ready),
      failed: rejected.length === 0 ? [] : await failWaiting(transaction, ends, rejected),
    };
  });
  options.announcer.announce(failed);
  options.announcer.announceEvents(ended.map(({ account_id: accountId }) => accountId));
  options.deliveries.announce(due);
  for (const accountId of unblocked) options.wokenAccounts.wake(accountId);
}

async function failWaiting(
  transaction: Transaction,
  ends: readonly UploadEnd[],
  rejected: readonly string[],
): Promise<Transitioned[]> {
  const waiting = new Map((await readWaiting(transaction, rejected)).map((one) => [one.id, one]));
  if (waiting.size === 0) return [];
  const errors = new Map(ends.map((end) => [end.id, waitedForUpload(end.waitersError)]));
  const transitions = (await readUnsettled(transaction, [...waiting.values()])).flatMap((row) => {
    const error = errors.get(waiting.get(row.id)?.uploadId ?? '');
    return error === undefined || row.status !== 'queued'
      ? []
      : [toFailed(row, { from: 'queued', untouched: true, error })];
  });
  return transitionGenerations(transaction, transitions);
}
