import type { Database } from '@renderkit/server-kit/db/database.ts';

export type TakenCall =
  | { outcome: 'new' | 'adopted'; id: string; request: unknown }
  | { outcome: 'held'; id: null; request: null };

/** Runs hold_facade_call.sql, which describes the outcomes. Times are whole seconds. */
export async function holdFacadeCall(
  database: Database,
  call: {
    id: string;
    accountId: string;
    /** SHA-256 in hexadecimal. */
    fingerprint: string;
    request: object;
    holder: string;
    leaseSeconds: number;
    /** The key of the process; see `Presence`. */
    presence: number | undefined;
    repeats: boolean;
    unsaidSeconds: number;
    saidSeconds: number;
    giveUp: boolean;
  },
): Promise<TakenCall> {
  const [row] = await database.rows<TakenCall>(
    `select outcome, id, request from hold_facade_call($1, $2, decode($3, 'hex'), $4, $5, make_interval(secs => $6), $7,
      $8, make_interval(secs => $9), make_interval(secs => $10), $11)`,
    [
      call.id,
      call.accountId,
      call.fingerprint,
      JSON.stringify(call.request),
      call.holder,
      call.leaseSeconds,
      call.presence ?? null,
      call.repeats,
      call.unsaidSeconds,
      call.saidSeconds,
      call.giveUp,
    ],
    'hold_facade_call',
  );
  if (row === undefined) throw new Error('hold_facade_call answers with one row');
  return row;
}

/**
 * Checks equal calls that are held at the same time as this one: `nothing` where there is none; `gone` where the
 * process of at least one is gone, because it no longer holds its lock (decision 0062); `living` otherwise.
 */
export async function lookBeside(
  database: Database,
  { accountId, fingerprint, id }: { accountId: string; fingerprint: string; id: string },
): Promise<'nothing' | 'living' | 'gone'> {
  const rows = await database.rows<{ gone: boolean }>(
    // Checks each process once, however many equal calls it holds.
    `select coalesce(pg_try_advisory_xact_lock_shared(presence), false) as gone from (
       select distinct f.presence from facade_calls f
        where f.account_id = $1 and f.fingerprint = decode($2, 'hex') and f.id <> $3 and f.held_until >= clock()
          -- The same bound as the search in hold_facade_call.
          and f.created_at > clock() - interval '62 minutes') held`,
    [accountId, fingerprint, id],
    'facade_calls_beside',
  );
  if (rows.some(({ gone }) => gone)) return 'gone';
  return rows.length > 0 ? 'living' : 'nothing';
}

/** Renews the leases of this process's holders that are still valid. */
export async function renewHolders(
  database: Database,
  { ids, leaseMs }: { ids: string[]; leaseMs: number },
): Promise<void> {
  await database.execute(
    `update facade_calls set held_until = clock() + make_interval(secs => $2)
      where holder = any ($1) and held_until >= clock()`,
    [ids, leaseMs / 1_000],
    'renew_facade_holders',
  );
}

/** Records that the client has the answer. */
export async function recordDelivered(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    `update facade_calls set holder = null, held_until = null, delivered_at = clock()
      where id = $1 and holder = $2`,
    [id, holder],
    'deliver_facade_call',
  );
}

/** Records that the client disconnected without the answer, and may come back for it. */
export async function letGo(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    `update facade_calls set holder = null, held_until = null, let_go_at = clock()
      where id = $1 and holder = $2`,
    [id, holder],
    'let_go_facade_call',
  );
}

/**
 * Records that nothing was made and the client was told to ask again: a request that says it repeats then gets this
 * call.
 */
export async function refuseCall(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    'update facade_calls set holder = null, held_until = null where id = $1 and holder = $2',
    [id, holder],
    'refuse_facade_call',
  );
}

/**
 * Returns whether a request of the key was refused for its rate in this minute or the one before. Then a request that
 * repeats it is the first of them that is read.
 */
export async function wasOverRate(
  database: Database,
  { keyId, limit }: { keyId: string; limit: number },
): Promise<boolean> {
  const rows = await database.rows<{ key_id: string }>(
    `select key_id from rate_windows
      where key_id = $1 and minute >= date_trunc('minute', clock()) - interval '1 minute' and requests > $2`,
    [keyId, limit],
    'was_over_rate',
  );
  return rows.length > 0;
}

/** Deletes a call of which nothing was made, so that the next request starts again. */
export async function forgetCall(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    'delete from facade_calls where id = $1 and holder = $2',
    [id, holder],
    'forget_facade_call',
  );
}

/** Returns whether the client has been away for `forMs` and still is. */
export async function isAbandoned(database: Database, id: string, forMs: number): Promise<boolean> {
  const rows = await database.rows<{ id: string }>(
    `select id from facade_calls
      where id = $1 and delivered_at is null and (holder is null or held_until < clock())
        and coalesce(greatest(let_go_at, held_until), created_at) <= clock() - $2 * interval '1 millisecond'`,
    [id, forMs],
    'abandoned_facade_call',
  );
  return rows.length > 0;
}

/** Returns the ids of a key's unfinished generations that a client waits for through a facade, oldest first. */
export async function readAwaited(
  database: Database,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select g.id from facade_calls f
      cross join lateral generate_series(0, (f.request ->> 'generations')::integer - 1) as place
      join generations g on g.account_id = f.account_id and g.idempotency_key = f.id || '#' || place
      where f.account_id = $1 and f.held_until >= clock() and g.key_id = $2 and g.status in ('queued', 'running')
      order by g.created_at, g.id`,
    [accountId, keyId],
    'read_awaited_of_facades',
  );
  return rows.map(({ id }) => id);
}

/** Returns the model that a key has chosen for requests that name none. */
export async function readChosenModel(database: Database, keyId: string): Promise<string | undefined> {
  const rows = await database.rows<{ model: string }>(
    'select model from facade_models where key_id = $1',
    [keyId],
    'read_facade_model',
  );
  return rows[0]?.model;
}

export async function recordChosenModel(
  database: Database,
  { keyId, model }: { keyId: string; model: string },
): Promise<void> {
  await database.execute(
    `insert into facade_models (key_id, model, chosen_at) values ($1, $2, clock())
      on conflict (key_id) do update set model = excluded.model, chosen_at = excluded.chosen_at`,
    [keyId, model],
    'record_facade_model',
  );
}

type Held = { id: string; holder: string };
