import path from 'node:path';
import { checkDatabase as checkAnyDatabase } from '@renderkit/server-kit/check-database.ts';
import type { Database } from '@renderkit/server-kit/database.ts';

export const migrationsDirectory = path.resolve(import.meta.dirname, '../../migrations');

/**
 * Refuses to start on a database that would lose what it has acknowledged, or whose tables are not ours.
 * @throws ConfigError
 */
export function checkDatabase(database: Database): Promise<void> {
  return checkAnyDatabase(database, { variable: 'DATABASE_URL', migrationsDirectory });
}
