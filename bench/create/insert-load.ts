// The baseline: single rows, each inserted and committed by itself, through our own driver and pool.

import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { serveParent } from '../child.ts';

export type InsertLoad = { url: string; poolSize: number; connections: number; seconds: number };

/** About as long as the text of a 202. */
const body = 'x'.repeat(500);

await serveParent(async () => async ({ url, poolSize, connections, seconds }: InsertLoad) => {
  await using database = openDatabase({ url, poolSize, applicationName: 'bench' });
  await database.rows(
    'create table if not exists entries (id text primary key, body text not null, created_at timestamptz not null)',
  );
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let inserted = 0;
  const insertUntilEnd = async () => {
    while (performance.now() < end) {
      await database.rows(
        'insert into entries (id, body, created_at) values ($1, $2, statement_timestamp())',
        [newId('ent_'), body],
        'insert_entry',
      );
      inserted++;
    }
  };
  await Promise.all(Array.from({ length: connections }, insertUntilEnd));
  return inserted / ((performance.now() - begin) / 1000);
});
