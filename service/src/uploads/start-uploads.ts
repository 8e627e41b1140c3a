import { createEgress } from '@renderkit/egress/guarded-fetch.ts';
import type { TargetOptions } from '@renderkit/egress/validate-target.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLeases } from '@renderkit/server-kit/work/leases.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import type { TestHooks } from '../test-hooks.ts';
import { type CreateUpload, createUploads } from './create-upload.ts';
import { createDeleteUpload, type DeleteUpload } from './delete-upload.ts';
import { startUploadExpiry } from './expire-unused.ts';
import { type Imports, startImports } from './imports.ts';
import { startUploadReconciliation } from './reconcile.ts';
import { endOf, type SettleUploads } from './record-outcomes.ts';
import { createSendFile, type SendFile } from './send-file.ts';
import { renewLeases } from './store.ts';

export type UploadsOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call' | 'storeUpload'>;
  /** Which addresses may be fetched from. */
  target: TargetOptions;
  /** Ends uploads, and unblocks or fails the generations that wait for them. */
  settle: SettleUploads;
  /** Called when an upload of the account is in processing: the account's feed must be followed. */
  onProcessing: (accountId: string) => void;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  testHooks?: TestHooks | undefined;
};

export type Uploads = AsyncDisposable & {
  create: CreateUpload;
  sendFile: SendFile;
  deleteUpload: DeleteUpload;
  /** Called when accepted creates name addresses. */
  wakeImports: Imports['wake'];
  /** Called when the server is about to close: requests that bring files get a few more seconds. */
  endSoon: () => void;
};

/** Milliseconds that running transfers may take when the process stops. reconcile.ts removes the remains of others. */
const finishWithinMs = 6_000;
const defaultLeaseMs = 10_000;

/** Starts the parts that send files to the studio and bring uploads to their end. */
export function startUploads(options: UploadsOptions): Uploads {
  const { settle, log, testHooks = {} } = options;
  const egress = createEgress(options.target);
  const stopping = new AbortController();
  const leases = startLeases({
    name: 'upload leases',
    leaseMs: testHooks.leaseMs ?? defaultLeaseMs,
    renew: (held) => renewLeases(options.database, held),
    log,
    onStuck: options.onStuck,
    stuckAfterMs: testHooks.stuckAfterMs,
  });
  const shared = { ...options, ...testHooks, leases, egress };
  const sendFile = createSendFile({ ...shared, stopping: stopping.signal });
  const imports = startImports(shared);
  const reconciliation = startUploadReconciliation(shared);
  const expiry = startUploadExpiry(shared);
  return {
    sendFile,
    deleteUpload: createDeleteUpload(shared),
    wakeImports: imports.wake,
    endSoon: () => {
      setTimeout(() => stopping.abort(new Error('the service is stopping')), finishWithinMs).unref();
    },
    create: createUploads({
      ...shared,
      sendFile,
      pace: testHooks.uploadPace,
      stopping: stopping.signal,
      settleStored: (accountId, upload) => {
        const end = endOf(accountId, upload);
        if (end === undefined) return;
        // If this fails, reconcile.ts asks for the upload within seconds.
        settle([end]).catch((error: unknown) => log.debug({ err: error }, 'an upload could not be settled'));
      },
    }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([imports, reconciliation, expiry].map((one) => one[Symbol.asyncDispose]()));
      await egress[Symbol.asyncDispose]();
      await leases[Symbol.asyncDispose]();
    },
  };
}
