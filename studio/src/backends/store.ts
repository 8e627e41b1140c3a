import type { EngineName } from '@renderkit/engine-kit/route.ts';
import type { Database, Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';

/** The settings and state of a backend. Its secrets are encrypted. */
export type BackendRow = {
  name: string;
  engine: EngineName;
  is_local: boolean;
  built_in: boolean;
  url: string | null;
  secret: string | null;
  headers: string | null;
  slots: number | null;
  labels: string[];
  wanted: 'on' | 'draining' | 'off';
  up: boolean;
  max_cost_per_day: number | null;
  currency: string | null;
  allow_loss: boolean;
};

/** The columns of the table `backends`, where it has no alias. */
export const rowColumns = `name, engine, is_local, built_in, url, secret, headers, slots, labels, wanted, up, max_cost_per_day,
  currency, allow_loss`;

export async function selectBackends(queryable: Queryable, names?: readonly string[]): Promise<BackendRow[]> {
  return queryable.rows<BackendRow>(
    `select ${rowColumns} from backends where $1::text[] is null or name = any($1) order by name`,
    [names ?? null],
    'select_backends',
  );
}

export async function lockBackend(transaction: Transaction, name: string): Promise<BackendRow | undefined> {
  const [row] = await transaction.rows<BackendRow>(
    `select ${rowColumns} from backends where name = $1 for update`,
    [name],
  );
  return row;
}

/** Adds a backend. It counts as down until its first probe: nothing is sent to it before. */
export async function insertBackend(
  transaction: Transaction,
  row: Omit<BackendRow, 'is_local' | 'built_in' | 'wanted' | 'up'>,
): Promise<boolean> {
  const inserted = await transaction.execute(
    `insert into backends (name, engine, url, secret, headers, slots, labels, max_cost_per_day, currency, allow_loss, up, reason)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, local, case when not local then 'It was not asked yet.' end
     from (select $2 in ('procedural', 'sandbox', 'command') as local) l on conflict do nothing`,
    [
      row.name,
      row.engine,
      row.url,
      row.secret,
      row.headers,
      row.slots,
      row.labels,
      row.max_cost_per_day,
      row.currency,
      row.allow_loss,
    ],
  );
  return inserted === 1;
}

/** Changes a backend. The change may repair it, so it is probed, and its routes are checked, at once. */
export async function updateBackend(transaction: Transaction, row: BackendRow): Promise<void> {
  await forgetRouteErrors(transaction, row.name);
  await transaction.execute(
    `update backends set url = $2, secret = $3, headers = $4, slots = $5, labels = $6, max_cost_per_day = $7, currency = $8,
       allow_loss = $9, file_digest = null, next_probe_at = clock(), next_check_at = clock(), checked_revision = 0,
       closed_until = case when closed_until = 'infinity' then clock() else closed_until end
     where name = $1`,
    [
      row.name,
      row.url,
      row.secret,
      row.headers,
      row.slots,
      row.labels,
      row.max_cost_per_day,
      row.currency,
      row.allow_loss,
    ],
  );
}

/**
 * Forgets the errors that renders met on a backend. The next check decides which routes fit. Release 1 has the column
 * `fault`.
 */
export async function forgetRouteErrors(queryable: Queryable, backend: string): Promise<void> {
  await queryable.execute('update route_fits set fault = null where backend = $1 and fault is not null', [
    backend,
  ]);
}

/** `withinSeconds`: jobs that still run after these seconds are canceled there and given back; `null`: they may end. */
export async function updateWanted(
  transaction: Transaction,
  name: string,
  wanted: BackendRow['wanted'],
  withinSeconds: number | null,
): Promise<void> {
  await transaction.execute(
    `update backends set wanted = $2, drain_until = clock() + $3 * interval '1 second',
       wanted_since = case when wanted = $2 then wanted_since else clock() end,
       closed_until = case when closed_until = 'infinity' or $2 = 'on' then clock() else closed_until end,
       failures = case when $2 = 'on' then 0 else failures end
     where name = $1`,
    [name, wanted, withinSeconds],
  );
}

/** Turns off draining backends that have no live submissions. Returns how many were turned off. */
export async function turnOffDrained(database: Database): Promise<number> {
  return database.execute(
    `update backends b set wanted = 'off', wanted_since = clock(), drain_until = null
     where wanted = 'draining' and not exists (
       select from submissions s where s.backend = b.name and s.state in ('intended', 'sent', 'lost'))`,
    [],
    'turn_off_drained',
  );
}

export async function deleteBackend(transaction: Transaction, name: string): Promise<void> {
  await transaction.execute('delete from backends where name = $1', [name]);
}

/** Returns the models on offer of which a route names this removed backend, and no route names another. */
export async function selectModelsLeft(
  transaction: Transaction,
  { name, engine, labels }: Pick<BackendRow, 'name' | 'engine' | 'labels'>,
): Promise<string[]> {
  const rows = await transaction.rows<{ id: string }>(
    `select m.id from models m join routes o on (o.model_id, o.version) = (m.id, m.published_version)
     left join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
     group by m.id
     having bool_or(o.engine = $2 and ($1 = any(o.backends) or o.backends && $3)) and count(b.name) = 0 order by m.id`,
    [name, engine, labels],
  );
  return rows.map(({ id }) => id);
}

export async function countLive(transaction: Transaction, name: string): Promise<number> {
  const [row] = await transaction.rows<{ live: number }>(
    `select count(*)::integer as live from submissions where backend = $1 and state in ('intended', 'sent', 'lost')`,
    [name],
  );
  return row?.live ?? 0;
}

/** Takes the backends whose probe is due. No other process probes them meanwhile. */
export async function takeDueProbes(
  database: Database,
  seconds: { up: number; down: number },
): Promise<BackendRow[]> {
  return database.rows<BackendRow>(
    `update backends set next_probe_at = clock() + interval '1 second' * case when up then $1::integer else $2::integer end
     where name in (select name from backends where not is_local and next_probe_at <= clock() for no key update skip locked)
     returning ${rowColumns}`,
    [seconds.up, seconds.down],
    'take_due_probes',
  );
}

export type GoodProbe = {
  version: string | null;
  digest: string | null;
  vramBytes: number | null;
  /** Seconds until the next probe. */
  nextSeconds: number;
};

/**
 * Records an answer. A backend that was down, or whose digest changed, may be another machine: the errors that renders
 * met there are forgotten, and its routes are checked at once. A lasting rest ends after its time, for one trial.
 * `studio/sql/functions/rest_backend.sql` has the same times. Returns whether the backend was down.
 */
export async function recordGoodProbe(database: Database, name: string, probe: GoodProbe): Promise<boolean> {
  const [row] = await database.rows<{ came_back: boolean }>(
    `with before as (
       select *, not up or probe_digest is distinct from $3 as may_be_another from backends where name = $1 for no key update
     ), forgiven as (
       update route_fits f set fault = null from before o where f.backend = o.name and f.fault is not null and o.may_be_another
     )
     update backends b set up = true, up_since = case when o.up then o.up_since else clock() end, failed_probes = 0,
       version = $2, vram_bytes = $4, probe_digest = $3, next_probe_at = clock() + $5 * interval '1 second',
       next_check_at = case when o.may_be_another then clock() else o.next_check_at end,
       failures = case when o.up then o.failures else 0 end,
       closed_since = case when o.up then o.closed_since end,
       closed_until = case when not o.up then null
         when o.closed_until = 'infinity' and o.closed_since < clock() - interval '1 second' * least(900, 5 * 3 ^ least(o.failures - 1, 6))
         then clock() else o.closed_until end,
       reason = case when o.up and o.closed_until is not null then o.reason end
     from before o where b.name = o.name returning not o.up as came_back`,
    [name, probe.version, probe.digest, probe.vramBytes, probe.nextSeconds],
    'record_good_probe',
  );
  return row?.came_back ?? false;
}

/**
 * Records a missing answer. The backend is probed again soon; it is down after `maxFailed` failed probes. Returns
 * whether it went down now.
 */
export async function recordBadProbe(
  database: Database,
  name: string,
  probe: { reason: string; againSeconds: number; maxFailed: number },
): Promise<boolean> {
  const [row] = await database.rows<{ went_down: boolean }>(
    `with before as (select * from backends where name = $1 for no key update)
     update backends b set failed_probes = o.failed_probes + 1,
       up = o.up and o.failed_probes + 1 < $4,
       up_since = case when o.up and o.failed_probes + 1 >= $4 then clock() else o.up_since end,
       reason = case when not o.up or o.failed_probes + 1 >= $4 then $2 else o.reason end,
       next_probe_at = case when o.up and o.failed_probes + 1 < $4 then clock() + $3 * interval '1 second' else o.next_probe_at end
     from before o where b.name = o.name returning o.up and not b.up as went_down`,
    [name, probe.reason, probe.againSeconds, probe.maxFailed],
    'record_bad_probe',
  );
  return row?.went_down ?? false;
}

/**
 * Returns, by name, the digest of the backend's last entry in a file; `null` for a backend that an operator added or
 * changed since.
 */
export async function selectFileDigests(queryable: Queryable): Promise<Map<string, string | null>> {
  const rows = await queryable.rows<{ name: string; file_digest: string | null }>(
    'select name, file_digest from backends',
  );
  return new Map(rows.map(({ name, file_digest }) => [name, file_digest]));
}

export async function updateFileDigest(
  transaction: Transaction,
  name: string,
  digest: string,
): Promise<void> {
  await transaction.execute('update backends set file_digest = $2 where name = $1', [name, digest]);
}

export type CreditValue = { currency: string; per_credit: number };

/** Sets the worth of a credit. Returns the previous one, `null` if there was none; `undefined` if it is the same. */
export async function updateCreditValue(
  transaction: Transaction,
  { currency, per_credit: perCredit }: CreditValue,
): Promise<CreditValue | null | undefined> {
  const [before = null] = await transaction.rows<CreditValue>(
    'select currency, per_credit::float8 as per_credit from credit_value for update',
  );
  const changed = await transaction.execute(
    `update credit_value set currency = $1, per_credit = $2 where (currency, per_credit) is distinct from ($1, $2::numeric)`,
    [currency, perCredit],
  );
  return changed > 0 ? before : undefined;
}
