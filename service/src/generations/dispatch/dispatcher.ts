import { lanes } from '@renderkit/contract/studio/kinds.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLeaseQueue } from '@renderkit/server-kit/work/lease-queue.ts';
import { startLeases } from '@renderkit/server-kit/work/leases.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import type { LimitsReader } from './limits-reader.ts';
import {
  accountsToDispatch,
  type AccountState,
  type Claim,
  claimGenerations,
  releaseGenerations,
  renewLeases,
} from './store.ts';
import { accountsPerClaim, type WokenAccounts } from './woken-accounts.ts';

export type DispatcherOptions = {
  database: Database;
  log: Logger;
  /** Names this process in leases. */
  owner: string;
  /** Sends a claim to the studio and records what came of it; ends early, leaving it to its lease, when stopping. */
  submit: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  limits: LimitsReader;
  wokenAccounts: WokenAccounts;
  leaseMs: number;
  /** Default 1,000. */
  reconcileMs?: number | undefined;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

/** Submits of this process at once, whatever the account. */
const submitsAtOnce = 64;
/** Claimed of what waits in one statement at most. */
const maxPerClaim = 128;
/**
 * Claims that may wait here for a submit. While the studio is slow, more would be held for nothing and kept from other processes, and
 * the renewal of their leases would be more work than the submits.
 */
const maxWaiting = 2 * maxPerClaim;
/** How long submits under way may take to end when the process stops; then they are left to their leases. */
const finishWithinMs = 8_000;
/** Claimed from one lane of an account at once; the limit stands in sql/functions/claim_generations_up_to.sql. */
const maxFromLane = 64;
const accountsPerRound = 500;
/** Limits that leave no free slot are read again after this long. */
const limitsMaxAgeMs = 10_000;

/**
 * Takes generations out of the queue as slots come free and has them submitted. Woken at once within its process;
 * a reconciliation each second finds what was woken elsewhere, what waits out a pause, and what a dead process left claimed.
 */
export function startDispatcher(options: DispatcherOptions): AsyncDisposable {
  const { database, log, owner, leaseMs, wokenAccounts, onStuck, stuckAfterMs } = options;
  const leases = startLeases({
    name: 'dispatch leases',
    leaseMs,
    owner,
    renew: (held) => renewLeases(database, held),
    log,
    onStuck,
    stuckAfterMs,
  });
  const submits = startLeaseQueue<Claim>({
    slots: submitsAtOnce,
    idOf: ({ id }) => id,
    run: (claim, stopping) => options.submit(claim, stopping).finally(wokenAccounts.resume),
    onError: ({ id }, error) => log.error({ generationId: id, err: error }, 'a submit was left to its lease'),
    giveBack: async (claims) => {
      await releaseGenerations(
        database,
        claims.map((claim) => ({ ...claim, unsent: !claim.sentBefore, atOnce: true })),
      );
    },
    leases,
    finishWithinMs,
    log,
  });

  let claiming = 0;
  // For a whole claim: otherwise each submit that ends would be followed by a claim of one.
  const hasRoom = () => submits.waiting + (claiming + 1) * maxPerClaim <= maxWaiting;
  const claimFor = async (accountIds: string[], skipLocked: boolean) => {
    claiming++;
    try {
      const asked = { accountIds, owner, leaseMs, skipLocked, atMost: maxPerClaim };
      const { claims, accounts } = await claimGenerations(database, asked);
      submits.add(claims);
      for (const account of accounts) afterClaim(options, account, claims);
      // Some of them may have been cut short, and nothing says which.
      if (claims.length >= maxPerClaim) for (const { accountId } of accounts) wokenAccounts.wake(accountId);
    } finally {
      claiming--;
    }
  };
  wokenAccounts.start({
    hasRoom,
    claim: (accountIds) => claimFor(accountIds, false),
    // What a busy studio said of its limits may be over as well.
    onPauseOver: options.limits.refresh,
  });
  const reconciliation = startReconciliation(options, {
    hasRoom,
    claimFor: (accountIds) => claimFor(accountIds, true),
  });

  return {
    [Symbol.asyncDispose]: async () => {
      await wokenAccounts.stop();
      await reconciliation[Symbol.asyncDispose]();
      await submits[Symbol.asyncDispose]();
      await leases[Symbol.asyncDispose]();
    },
  };
}

/** Looks each second for accounts that could be claimed from. */
function startReconciliation(
  { database, limits, wokenAccounts, log, reconcileMs = 1_000, onStuck, stuckAfterMs }: DispatcherOptions,
  claims: { hasRoom: () => boolean; claimFor: (accountIds: string[]) => Promise<void> },
): AsyncDisposable {
  return startLoop({
    name: 'dispatch reconciliation',
    everyMs: reconcileMs,
    log,
    onStuck,
    stuckAfterMs,
    run: async () => {
      wokenAccounts.forget();
      const found = await accountsToDispatch(database, { limitsMaxAgeMs, atMost: accountsPerRound });
      const claimable = found.filter((account) => account.has_capacity).map((account) => account.account_id);
      for (const account of found) if (!account.has_capacity) limits.refresh(account.account_id);
      for (let i = 0; i < claimable.length; i += accountsPerClaim) {
        const some = claimable.slice(i, i + accountsPerClaim);
        if (claims.hasRoom()) await claims.claimFor(some);
        // They have their turn among those that were woken.
        else for (const accountId of some) wokenAccounts.wake(accountId);
      }
    },
  });
}

/** What an account's state before its claims means for its next ones. */
function afterClaim(
  { limits, wokenAccounts }: DispatcherOptions,
  { accountId, free, waitMs, connected, limitsAgeMs = 0 }: AccountState,
  claims: readonly Claim[],
): void {
  if (waitMs > 0) wokenAccounts.wakeAfter(accountId, waitMs);
  if (!connected || waitMs > 0) return;
  if (free === undefined) return limits.refresh(accountId);
  const left = { ...free };
  for (const claim of claims)
    if (claim.accountId === accountId) {
      left.overall--;
      left[claim.lane]--;
    }
  wokenAccounts.remember(accountId, left);
  if (lanes.some((lane) => free[lane] - left[lane] >= maxFromLane)) wokenAccounts.wake(accountId);
  if (Math.min(...Object.values(left)) <= 0 && limitsAgeMs > limitsMaxAgeMs) limits.refresh(accountId);
}
