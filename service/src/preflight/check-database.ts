import path from 'node:path';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { checkDatabase as checkAnyDatabase } from '@renderkit/server-kit/schema/check-database.ts';

/** The folder with the SQL of the service's tables and functions. */
export const sqlDirectory = path.resolve(import.meta.dirname, '../../sql');

/**
 * Refuses to start on a database that could lose committed data, or whose tables are not ours.
 * `server-kit/src/schema/check-database.ts` makes the checks.
 * @throws ConfigError
 */
export function checkDatabase(database: Database): Promise<void> {
  return checkAnyDatabase(database, { variable: 'DATABASE_URL', sqlDirectory });
}
