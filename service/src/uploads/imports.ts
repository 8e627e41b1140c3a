import type { Egress } from '@renderkit/egress/guarded-fetch.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { type LeaseQueue, startLeaseQueue } from '@renderkit/server-kit/work/lease-queue.ts';
import type { Leases } from '@renderkit/server-kit/work/leases.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import type { CrashPoint } from '../test-hooks.ts';
import { fileNameOf, maxFileBytes } from './create-upload.ts';
import { FetchFailed, fetchFile } from './fetch-file.ts';
import { refusedFile } from './file-issues.ts';
import { endOf, type SettleUploads, unusableEnd, type WaitersError } from './record-outcomes.ts';
import { initialAskAfterMs, storeQuery } from './send-file.ts';
import { claimImports, type Import, postpone, recordStored } from './store.ts';

/** How many files this process fetches at once, and how many all processes fetch at once for one account. */
const maxImports = 64;
const maxImportsPerAccount = 4;
/**
 * From this many running imports on, an account gets one at most, so that slow servers of a few accounts leave slots
 * free.
 */
const busyFrom = maxImports / 2;
const pollMs = 1_000;
const fetchTimeoutMs = 10 * 60_000;
const initialPauseMs = 1_000;
const maxPauseMs = 60_000;
/** How many tries an import has until the studio's `invalid_request` ends it. */
const maxInvalidTries = 3;
/**
 * Failures of an address that may be temporary: its name was not resolved, nothing listened, or the connection broke.
 */
const passingKinds: ReadonlySet<string> = new Set(['dns', 'refused', 'protocol']);
/** How often such an address is tried, and the milliseconds between tries. */
const maxFetches = 3;
const fetchAgainMs = 750;
/**
 * Milliseconds. A fetch that failed later than this is not repeated, because it would hold its slot several times as
 * long.
 */
const maxBrokenMs = 10_000;
/** Milliseconds that running imports have to release their leases when the process stops. */
const finishWithinMs = 8_000;

export type Imports = AsyncDisposable & Pick<LeaseQueue<Import>, 'wake'>;

/**
 * Fetches the addresses that creates named, after the 202. In the process of the create this starts at once, in others
 * within a second.
 */
export function startImports(
  options: ImportOptions & {
    reconcileMs?: number | undefined;
    onStuck?: ((name: string) => void) | undefined;
    stuckAfterMs?: number | undefined;
  },
): Imports {
  const { database, leases, log } = options;
  const { owner, leaseMs } = leases;
  return startLeaseQueue<Import>({
    slots: maxImports,
    idOf: ({ id }) => id,
    run: (one, stopping) => importFile(options, one, stopping),
    onError: ({ id }, error) => log.warn({ uploadId: id, err: error }, 'an import was left to its lease'),
    giveBack: async (claims) => {
      await Promise.all(claims.map((claim) => postpone(database, { ...claim, owner, forMs: 0 })));
    },
    leases,
    finishWithinMs,
    polling: {
      name: 'imports',
      everyMs: options.reconcileMs ?? pollMs,
      onStuck: options.onStuck,
      stuckAfterMs: options.stuckAfterMs,
      claim: (atMost, running) =>
        claimImports(database, {
          owner,
          leaseMs,
          atMost,
          perAccount: maxImportsPerAccount,
          furtherAtMost: Math.max(0, busyFrom - running.size),
        }),
    },
    log,
  });
}

type ImportOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'storeUpload'>;
  egress: Egress;
  leases: Leases;
  settle: SettleUploads;
  onProcessing: (accountId: string) => void;
  log: Logger;
  crashPoint?: CrashPoint | undefined;
};

/**
 * Fetches an address that a create named and sends the file to the studio, under the id in the create's quote. The
 * caller holds its lease. A file that cannot be fetched or used ends the upload and the generations that wait for it.
 * If the studio is unavailable, the import waits.
 */
async function importFile(options: ImportOptions, one: Import, stopping: AbortSignal): Promise<void> {
  const { database, leases, log } = options;
  const begun = performance.now();
  try {
    await using file = await fetchFile(options.egress, {
      url: one.source_url,
      totalTimeoutMs: fetchTimeoutMs,
      maxBytes: maxFileBytes,
      signal: stopping,
    });
    await options.crashPoint?.('import-fetched');
    const answer = await options.studioClient.storeUpload({
      accountId: one.account_id,
      token: one.id,
      query: storeQuery({
        fileName: fileNameOf(one.source_url),
        hidden: true,
        minBytes: file.minBytes,
      }),
      body: file.body,
      signal: stopping,
    });
    if (answer.outcome !== 'stored') {
      log.info({ uploadId: one.id, outcome: answer.outcome }, 'the studio does not take an imported file');
      return await fail(
        options,
        one,
        answer.outcome === 'unusable' ? 'unprocessable' : waitersErrorOf(answer),
      );
    }
    const row = await recordStored(database, {
      owner: leases.owner,
      upload: answer.upload,
      from: 'coming',
      askAfterMs: initialAskAfterMs,
    });
    if (row === undefined) return;
    options.onProcessing(one.account_id);
    const end = endOf(one.account_id, answer.upload);
    if (end !== undefined) await options.settle([end]);
  } catch (error) {
    if (error instanceof FetchFailed && !error.aborted && !mayPass(error, one.tries, begun)) {
      log.info({ uploadId: one.id, kind: error.kind }, 'an address gave no file');
      return await fail(options, one, 'unprocessable');
    }
    if (!(error instanceof FetchFailed) && !(error instanceof StudioFailure)) throw error;
    if (error instanceof StudioFailure && isFinal(error, one.tries)) {
      log.warn({ uploadId: one.id, err: error }, 'the studio refuses an imported file for good');
      return await fail(options, one, 'unprocessable');
    }
    log.info({ uploadId: one.id, err: error }, 'an import is tried again later');
    const forMs = stopping.aborted ? 0 : pauseMs(one.tries, error);
    await postpone(database, { ...one, owner: leases.owner, forMs });
  }
}

const mayPass = ({ kind }: FetchFailed, tries: number, begun: number) =>
  passingKinds.has(kind) && tries < maxFetches && performance.now() - begun < maxBrokenMs;

/**
 * Returns whether a failure is final. A file that came too slowly is an `invalid_request` too, so that code has more
 * tries.
 */
function isFinal({ kind, studioCode }: StudioFailure, tries: number): boolean {
  if (kind !== 'refused') return false;
  if (studioCode === 'invalid_request') return tries >= maxInvalidTries;
  return studioCode === 'too_large' || studioCode === 'conflict';
}

function waitersErrorOf(answer: Parameters<typeof refusedFile>[0]): WaitersError {
  if (answer.outcome === 'refused' && answer.refusal.code === 'storage_full') return 'storage_full';
  const { code } = refusedFile(answer);
  return code === 'tier_required' || code === 'forbidden' ? code : 'unprocessable';
}

function fail({ settle, leases }: ImportOptions, one: Import, error: WaitersError): Promise<void> {
  return settle([unusableEnd(one, leases.owner, error)]);
}

function pauseMs(tries: number, error: FetchFailed | StudioFailure): number {
  if (error instanceof FetchFailed) return fetchAgainMs;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
  return Math.max(askedMs, Math.min(maxPauseMs, initialPauseMs * 2 ** Math.min(tries, 10)));
}
