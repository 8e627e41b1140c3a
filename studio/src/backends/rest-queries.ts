import type { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database, Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';

/**
 * Lets a backend rest after a fault of its own; a local one never rests. `studio/sql/functions/rest_backend.sql`
 * decides for how long. Locks the backend's row. That lock comes after those of accounts, renders and submissions, and
 * before the costs of its provider.
 */
export async function restBackend(
  database: Queryable,
  backend: string,
  { code, message, retryAfterSeconds, lasting }: EngineFailure,
): Promise<void> {
  await database.rows('select rest_backend($1, $2, $3, $4, $5)', [
    backend,
    code,
    message,
    retryAfterSeconds ?? null,
    lasting,
  ]);
}

/**
 * Records an error that a render met and that makes a route useless on a backend. The error stays, whatever checks
 * find, until the backend comes back or changes, or an operator asks for a check. Release 1 has the column `fault`.
 */
export async function recordUnfit(
  database: Database,
  {
    backend,
    model_id,
    version,
    route,
  }: { backend: string; model_id: string; version: number; route: number },
  problem: Problem,
): Promise<void> {
  await database.execute(
    `update route_fits set fits = false, fault = $5::jsonb, checked_at = clock(),
       problems = case when problems @> jsonb_build_array($5::jsonb) then problems else problems || $5::jsonb end
     where backend = $1 and model_id = $2 and version = $3 and route = $4 and fault is distinct from $5::jsonb`,
    [backend, model_id, version, route, JSON.stringify(problem)],
    'record_unfit',
  );
}

/**
 * Records that a submission ended well, `seconds` after its engine began. A backend on trial is well again, and the
 * measured times of its route are adjusted.
 */
export async function recordSuccess(
  transaction: Transaction,
  submission: string,
  seconds: number,
): Promise<void> {
  await transaction.execute('select record_success($1, $2)', [submission, seconds]);
}

/**
 * Returns the ids of this worker's submissions on backends whose time to drain is over. The worker must cancel them
 * there and give them back, without blame.
 */
export async function findDrained(database: Database, worker: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select s.id from submissions s join backends b on b.name = s.backend
     where s.owner = $1 and s.state in ('intended', 'sent', 'lost') and b.wanted = 'draining' and b.drain_until <= clock()`,
    [worker],
    'find_drained',
  );
  return rows.map(({ id }) => id);
}
