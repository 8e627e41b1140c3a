import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import { type Database } from '@renderkit/server-kit/db/database.ts';
import { accountsThatWait } from '../settle/transition-store.ts';

/** A generation that this process may submit while its lease and its attempt are valid. */
export type Claim = {
  id: string;
  accountId: string;
  attempt: number;
  lane: Lane;
  costMillicredits: number;
  /** An earlier claim may have sent a submit. */
  sentBefore: boolean;
  /** JSON text. */
  renderRequest: string;
  quote: string;
};

/** The state of an account before its claims were taken. */
export type AccountState = {
  accountId: string;
  /** Undefined where the account may not be claimed from now, or its limits were never read. */
  free: Record<Lane | 'overall', number> | undefined;
  limitsAgeMs: number | undefined;
  /** Milliseconds until the account may be tried again; 0 for now. */
  waitMs: number;
  connected: boolean;
};

type ClaimRow = {
  account_id: string;
  generation_id: string | null;
  attempt: number;
  lane: Lane;
  cost_millicredits: number;
  sent_before: boolean;
  render_request: string;
  quote: string;
  free_overall: number | null;
  free_image: number;
  free_edit: number;
  free_video: number;
  limits_age_ms: number | null;
  wait_ms: number | null;
  connected: boolean;
};

/**
 * Claims up to `atMost` waiting generations that may start for these accounts. With `skipLocked` it skips locked
 * accounts; otherwise it waits for them. Claims taken over from a dead process come in addition to `atMost`.
 */
export async function claimGenerations(
  database: Database,
  claim: {
    accountIds: readonly string[];
    owner: string;
    leaseMs: number;
    skipLocked: boolean;
    atMost: number;
  },
): Promise<{ claims: Claim[]; accounts: AccountState[] }> {
  const rows = await database.rows<ClaimRow>(
    `select * from claim_generations_up_to($1, $2, $3 * interval '1 millisecond', $4, $5)`,
    [claim.accountIds, claim.owner, claim.leaseMs, claim.skipLocked, claim.atMost],
    'generations_claim',
  );
  const claims: Claim[] = [];
  const accounts: AccountState[] = [];
  for (const row of rows) {
    if (row.generation_id === null) accounts.push(accountState(row));
    else
      claims.push({
        id: row.generation_id,
        accountId: row.account_id,
        attempt: row.attempt,
        lane: row.lane,
        costMillicredits: row.cost_millicredits,
        sentBefore: row.sent_before,
        renderRequest: row.render_request,
        quote: row.quote,
      });
  }
  return { claims, accounts };
}

function accountState(row: ClaimRow): AccountState {
  return {
    accountId: row.account_id,
    free:
      row.free_overall === null
        ? undefined
        : { overall: row.free_overall, image: row.free_image, edit: row.free_edit, video: row.free_video },
    limitsAgeMs: row.limits_age_ms ?? undefined,
    waitMs: row.wait_ms ?? 0,
    connected: row.connected,
  };
}

/** A claim to put back into the queue. */
export type Release = {
  id: string;
  accountId: string;
  attempt: number;
  /** The studio has certainly not received a submit. */
  unsent: boolean;
  /** Requested by the studio: the account pauses for at least this time. */
  retryAfterMs?: number | undefined;
  /** The account does not pause. */
  atOnce?: boolean;
};

/**
 * Puts claims back, each only if its attempt is still the current one. Returns those put back and their accounts'
 * pauses.
 */
export async function releaseGenerations(
  database: Database,
  releases: readonly Release[],
): Promise<{ id: string; account_id: string; wait_ms: number | null }[]> {
  return database.rows(
    'select id, account_id, wait_ms from release_generations($1::json)',
    [
      JSON.stringify(
        releases.map((release) => ({
          id: release.id,
          account_id: release.accountId,
          attempt: release.attempt,
          unsent: release.unsent,
          retry_after_ms: release.retryAfterMs,
          at_once: release.atOnce,
        })),
      ),
    ],
    'generations_release',
  );
}

/** Renews the leases of claims that this owner still holds. Skips rows that another transaction has locked. */
export async function renewLeases(
  database: Database,
  lease: { ids: readonly string[]; owner: string; leaseMs: number },
): Promise<void> {
  await database.rows(
    `update generations set lease_until = clock() + $3 * interval '1 millisecond'
      where id in (select id from generations
                    where id = any ($1) and lease_owner = $2 and status = 'queued' and holds_slot
                    order by id for update skip locked)`,
    [lease.ids, lease.owner, lease.leaseMs],
    'generations_renew',
  );
}

/** Stores the limits that the studio reports for an account. */
export async function saveLimits(database: Database, accountId: string, limits: StudioLimits): Promise<void> {
  const lanes = [limits.overall, limits.image, limits.edit, limits.video];
  await database.rows(
    `update accounts
        set limit_overall = $2, limit_image = $3, limit_edit = $4, limit_video = $5,
            elsewhere_overall = $6, elsewhere_image = $7, elsewhere_edit = $8, elsewhere_video = $9,
            limits_read_at = clock()
      where id = $1`,
    [
      accountId,
      ...lanes.map(({ limit }) => limit),
      ...lanes.map(({ running_elsewhere: elsewhere }) => elsewhere),
    ],
    'generations_save_limits',
  );
}

/**
 * Returns the accounts to claim for: something waits in a lane with a free slot, a lease expired, or the limits that
 * leave no slot were read too long ago. The function claim_generations_up_to checks the slots again under the lock of
 * the account (sql/functions).
 */
export async function accountsToDispatch(
  database: Database,
  options: { limitsMaxAgeMs: number; atMost: number },
): Promise<{ account_id: string; has_capacity: boolean }[]> {
  return database.rows(
    `with recursive ${accountsThatWait}, expired as (
       select distinct account_id from generations
        where status = 'queued' and holds_slot and lease_until <= clock()
     ), asked as (
       select a.*, held.*, expired.account_id is not null as lease_expired
         from (select account_id from waiting where account_id is not null
               union select account_id from expired) found
         join accounts a on a.id = found.account_id
         join connections c on c.account_id = a.id and c.status = 'live'
         left join expired on expired.account_id = a.id
        cross join lateral (
          select count(*) as overall_held, count(*) filter (where g.lane = 'image') as image_held,
                 count(*) filter (where g.lane = 'edit') as edit_held,
                 count(*) filter (where g.lane = 'video') as video_held
            from generations g where g.account_id = a.id and g.holds_slot) held
        where a.deleted_at is null and (a.dispatch_after is null or a.dispatch_after <= clock())
     ), checked as (
       select asked.id as account_id, limits_read_at,
              lease_expired or (
                limit_overall - elsewhere_overall > overall_held and exists (
                  select from (values ('image', limit_image - elsewhere_image - image_held),
                                      ('edit', limit_edit - elsewhere_edit - edit_held),
                                      ('video', limit_video - elsewhere_video - video_held)) as l (lane, free)
                   where l.free > 0 and exists (
                     select from generations g
                      where g.account_id = asked.id and g.lane = l.lane and g.blocked = false
                        and g.status = 'queued' and not g.holds_slot))) as has_capacity
         from asked
     )
     select account_id, has_capacity from checked
      where has_capacity or limits_read_at is null
         or limits_read_at <= clock() - $1 * interval '1 millisecond'
      limit $2`,
    [options.limitsMaxAgeMs, options.atMost],
    'generations_to_dispatch',
  );
}

/** Stores a new quote for a claim. */
export async function saveQuote(database: Database, generationId: string, quote: string): Promise<void> {
  await database.rows('update generation_requests set quote = $2 where generation_id = $1', [
    generationId,
    quote,
  ]);
}
