import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Returns a line for each table with at least one byte per generation: bytes of the table and of its indexes per
 * generation.
 */
export async function bytesPerGeneration(database: Database): Promise<string[]> {
  const rows = await database.rows<{ name: string; table_bytes: number; index_bytes: number }>(
    `select c.relname as name, pg_table_size(c.oid)::float8 / g.count as table_bytes,
            pg_indexes_size(c.oid)::float8 / g.count as index_bytes
       from pg_class c, (select count(*)::float8 as count from generations) g
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        and pg_total_relation_size(c.oid) / g.count >= 1
      order by pg_total_relation_size(c.oid) desc`,
  );
  const total = rows.reduce((sum, { table_bytes: table, index_bytes: index }) => sum + table + index, 0);
  return [
    ...rows.map(
      ({ name, table_bytes: table, index_bytes: index }) =>
        `| ${name} | ${table.toFixed(0)} bytes | ${index.toFixed(0)} bytes of indexes |`,
    ),
    `${total.toFixed(0)} bytes for each generation`,
  ];
}
