import type { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Database, Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';

/**
 * Lets a backend rest for a fault of its own; a local one never does. Locks the backend's row, which comes after those of
 * accounts, renders and submissions, and before the costs of its provider.
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
 * Says that a submission ended well, `seconds` after its engine began: a backend that was on trial is well again, and the
 * measured times of its route follow.
 */
export async function recordSuccess(
  transaction: Transaction,
  submission: string,
  seconds: number,
): Promise<void> {
  await transaction.execute('select record_success($1, $2)', [submission, seconds]);
}

/** What this worker holds on backends whose time to drain is over: to be canceled there and given back, without blame. */
export async function findDrained(database: Database, worker: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select s.id from submissions s join backends b on b.name = s.backend
     where s.owner = $1 and s.state in ('intended', 'sent', 'lost') and b.wanted = 'draining' and b.drain_until <= clock()`,
    [worker],
    'find_drained',
  );
  return rows.map(({ id }) => id);
}
