import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Backend } from './backend.ts';

/** Lists an operator's own backends first, sorted by name. With a name, only that backend. */
export async function listBackends(database: Database, name?: string): Promise<Backend[]> {
  const rows = await database.rows<{ backend: Backend }>(
    `select backend_json(b) as backend from backends b where $1::text is null or b.name = $1 order by b.built_in, b.name`,
    [name ?? null],
  );
  return rows.map(({ backend }) => backend);
}
