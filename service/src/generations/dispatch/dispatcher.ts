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
  /**
   * Sends a claim to the studio and records the outcome. On `stopping` it ends early and leaves the claim to its lease.
   */
  submit: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  limits: LimitsReader;
  wokenAccounts: WokenAccounts;
  leaseMs: number;
  /** Default 1,000. */
  reconcileMs?: number | undefined;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

/** How many submits this process makes at once, for all accounts together. */
const submitsAtOnce = 64;
/** How many waiting generations one statement may claim. */
const maxPerClaim = 128;
/**
 * How many claims may wait here for a submit. While the studio is slow, more claims would only be kept from other
 * processes, and renewing their leases would cost more than the submits.
 */
const maxWaiting = 2 * maxPerClaim;
/** How long running submits may take to end when the process stops. After that their leases expire. */
const finishWithinMs = 8_000;
/**
 * How many claims one lane of an account gets at once; sql/functions/claim_generations_up_to.sql contains the limit.
 */
const maxFromLane = 64;
const accountsPerRound = 500;
/** Limits that leave no free slot are read again after this time. */
const limitsMaxAgeMs = 10_000;

/**
 * Claims queued generations when slots become free, and has them submitted. Events in this process wake it at once. A
 * reconciliation each second finds accounts that other processes woke, pauses that have ended, and claims that a dead
 * process left. The function claim_generations_up_to decides which generation is next and how many may run
 * (sql/functions).
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
  // Requires room for a whole claim: otherwise a claim of one generation would follow each submit that ends.
  const hasRoom = () => submits.waiting + (claiming + 1) * maxPerClaim <= maxWaiting;
  const claimFor = async (accountIds: string[], skipLocked: boolean) => {
    claiming++;
    try {
      const asked = { accountIds, owner, leaseMs, skipLocked, atMost: maxPerClaim };
      const { claims, accounts } = await claimGenerations(database, asked);
      submits.add(claims);
      for (const account of accounts) afterClaim(options, account, claims);
      // The limit may have cut off some accounts, and the result does not show which: wakes all of them.
      if (claims.length >= maxPerClaim) for (const { accountId } of accounts) wokenAccounts.wake(accountId);
    } finally {
      claiming--;
    }
  };
  wokenAccounts.start({
    hasRoom,
    claim: (accountIds) => claimFor(accountIds, false),
    // The limits that a busy studio reported may be out of date as well.
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

/** Searches each second for accounts with generations that can be claimed. */
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
        // These accounts wait for their turn among the woken ones.
        else for (const accountId of some) wokenAccounts.wake(accountId);
      }
    },
  });
}

/** Wakes the account later, reads its limits or remembers its free slots, depending on its state before the claims. */
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
