import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { accountsThatWait } from '../settle/transition-store.ts';

/** An account whose feed this process reads. */
export type WatchRow = { account_id: string; studio_account_id: string; cursor: number };

/**
 * Keeps watching, for five minutes more, every account with a waiting or running job or an upload in processing,
 * whichever process started it. Waiting jobs count because the studio may also report that it will never accept one.
 * The five minutes are also in `beginWatch` and in the function extend_watches (sql/functions).
 */
export async function ensureWatches(database: Database): Promise<void> {
  await database.rows(
    `with recursive ${accountsThatWait}
     insert into watches as w (account_id, watch_until)
       select r.account_id, clock() + interval '5 minutes'
         from (select account_id from generations where status = 'running'
               -- The condition on the time lets the planner use the index of leases.
               union select account_id from generations
                 where status = 'queued' and holds_slot and lease_until > '-infinity'
               union select account_id from waiting where account_id is not null
               union select account_id from uploads where status = 'processing') r
        where not exists (select from watches known where known.account_id = r.account_id
                             and known.watch_until >= clock() + interval '1 minute')
        order by r.account_id
     on conflict (account_id) do update set watch_until = excluded.watch_until`,
    [],
    'watches_ensure',
  );
}

/**
 * Has an account watched: by this owner, unless another owner's lease is valid. Returns whether this owner has the
 * watch.
 */
export async function beginWatch(
  database: Database,
  watch: { accountId: string; owner: string; leaseMs: number },
): Promise<boolean> {
  const [row] = await database.rows<{ mine: boolean }>(
    `insert into watches as w (account_id, watch_until, owner, lease_until)
     values ($1, clock() + interval '5 minutes', $2, clock() + $3 * interval '1 millisecond')
     on conflict (account_id) do update
        set watch_until = excluded.watch_until,
            owner = case when w.lease_until > clock() then w.owner else excluded.owner end,
            lease_until = case when w.lease_until > clock() then w.lease_until else excluded.lease_until end
     returning owner = $2 as mine`,
    [watch.accountId, watch.owner, watch.leaseMs],
    'watches_begin',
  );
  return row?.mine === true;
}

/** Renews this owner's watches, and takes free watches of connected accounts. */
export async function takeWatches(
  database: Database,
  watch: { owner: string; leaseMs: number; atMost: number },
): Promise<void> {
  await database.rows(
    `with free as (
       select w.account_id from watches w
        where w.watch_until > clock()
          and (w.owner = $1 or w.lease_until is null or w.lease_until <= clock())
          and exists (select from connections c where c.account_id = w.account_id and c.status = 'live')
        order by (w.owner = $1) is true desc, w.account_id
        -- The next round renews rows that are locked now.
        limit $3 for update skip locked
     )
     update watches w set owner = $1, lease_until = clock() + $2 * interval '1 millisecond'
       from free where w.account_id = free.account_id`,
    [watch.owner, watch.leaseMs, watch.atMost],
    'watches_take',
  );
}

/** Returns the watches of connected accounts that this owner holds. */
export async function readOwnWatches(database: Database, owner: string): Promise<WatchRow[]> {
  return database.rows<WatchRow>(
    `select w.account_id, a.studio_account_id, w.cursor
       from watches w
       join accounts a on a.id = w.account_id
       join connections c on c.account_id = w.account_id and c.status = 'live'
      where w.owner = $1 and w.lease_until > clock() and w.watch_until > clock()`,
    [owner],
    'watches_own',
  );
}

/** Returns the given accounts' watches that this owner holds. */
export async function readWatches(
  database: Database,
  watch: { owner: string; accountIds: readonly string[] },
): Promise<WatchRow[]> {
  return database.rows<WatchRow>(
    `select w.account_id, a.studio_account_id, w.cursor
       from watches w join accounts a on a.id = w.account_id
      where w.account_id = any ($2) and w.owner = $1`,
    [watch.owner, watch.accountIds],
    'watches_read',
  );
}

/** Releases all watches of an owner. */
export async function releaseWatches(database: Database, owner: string): Promise<void> {
  await database.rows(
    `update watches set owner = null, lease_until = null
      where account_id in (select account_id from watches where owner = $1 order by account_id for update)`,
    [owner],
  );
}

/** Returns the ids of an account's generations that the studio may be working on. */
export async function readInFlight(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from generations where account_id = $1 and holds_slot',
    [accountId],
    'generations_in_flight',
  );
  return rows.map(({ id }) => id);
}

export type SilentRow = { id: string; account_id: string; kind: GenerationKind; running_ms: number };

/**
 * Takes running jobs without a report from the studio for `silentMs`. For the same time no other process takes them.
 */
export async function takeSilent(
  database: Database,
  silent: { silentMs: number; atMost: number },
): Promise<SilentRow[]> {
  return database.rows<SilentRow>(
    `update generations g set heard_at = clock()
      where g.id in (select id from generations
                      where status = 'running' and heard_at <= clock() - $1 * interval '1 millisecond'
                      order by heard_at limit $2 for update skip locked)
     returning g.id, g.account_id, g.kind,
               (extract(epoch from clock() - g.submitted_at) * 1000)::float8 as running_ms`,
    [silent.silentMs, silent.atMost],
    'generations_silent',
  );
}
