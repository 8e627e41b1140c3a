import type { Database } from '../db/database.ts';

/** Changes a prepared database as if a newer release that adds nothing had prepared it. */
export async function prepareAsRelease(
  database: Database,
  numbers: { release: number; oldestRelease: number },
): Promise<void> {
  await database.rows('update schema_release set release = $1, oldest_release = $2 returning release', [
    numbers.release,
    numbers.oldestRelease,
  ]);
}

/** Returns the name of each table of a database, in any schema, with a hash of its rows. */
export function readContent(database: Database): Promise<{ name: string; hash: string }[]> {
  return database.rows(
    `select c.oid::regclass::text as name,
            md5(query_to_xml('select t::text from ' || c.oid::regclass || ' t order by 1', true, false, '')::text) as hash
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%' order by 1`,
  );
}
