import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase, sqlState } from '@renderkit/server-kit/db/database.ts';

/** The statement that waited, and for how long. */
export type HoldUp = { milliseconds: number; statement: string };

export type TableProbe = AsyncDisposable & {
  /** Returns the longest delay since the start or the last call. @throws the error of a statement of the probe */
  takeLongest: () => HoldUp;
};

type Table = {
  name: string;
  large: boolean;
  /** Its primary key, and some values of it as JSON rows; only of large tables. */
  key: string[];
  samples: string[];
};

const largeRows = 50_000;
const sampleRows = 200;
/** The pause between two statements on the same table. Small tables are probed only for the locks on them. */
const pauseMs = { large: 2, small: 25 };
const undefinedTable = '42P01';

/**
 * Reads and writes every table of a database repeatedly, each on its own connection, and records how long the longest
 * statement took. In large tables it reads and rewrites a row by its key; in the others it takes the locks that a
 * reader and a writer take.
 */
export async function probeTables(url: string): Promise<TableProbe> {
  const tables = await readTables(url);
  const stop = new AbortController();
  let longest: HoldUp = nothing;
  let failure: unknown;
  const note = (milliseconds: number, statement: string) => {
    if (milliseconds > longest.milliseconds) longest = { milliseconds, statement };
  };
  const probes = tables.map((table) =>
    probeTable(url, table, { note, signal: stop.signal }).catch((error: unknown) => {
      // A migration may drop a table. Every other error is one that real traffic would have had.
      if (sqlState(error) !== undefinedTable) failure ??= error;
    }),
  );
  return {
    takeLongest: () => {
      if (failure !== undefined) throw failure;
      const taken = longest;
      longest = nothing;
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all(probes);
    },
  };
}

const nothing: HoldUp = { milliseconds: 0, statement: 'nothing' };

async function readTables(url: string): Promise<Table[]> {
  await using database = openProbe(url);
  const found = await database.rows<{ name: string; large: boolean; key: string[] | null }>(
    `select c.relname as name, c.reltuples >= $1 as large,
            (select array_agg(a.attname::text order by a.attnum) from pg_index i
               join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
              where i.indrelid = c.oid and i.indisprimary) as key
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname not like 'schema\\_%'
      order by c.relname`,
    [largeRows],
  );
  const tables: Table[] = [];
  for (const { name, large, key } of found) {
    const columns = key ?? [];
    const samples = large && columns.length > 0 ? await sampleKeys(database, name, columns) : [];
    tables.push({ name, large: samples.length > 0, key: columns, samples });
  }
  return tables;
}

async function sampleKeys(database: Database, table: string, key: readonly string[]): Promise<string[]> {
  const rows = await database.rows<{ key: string }>(
    `select row_to_json(k)::text as key
       from (select ${key.join(', ')} from ${table} tablesample system (1) limit ${sampleRows}) k`,
  );
  return rows.map((row) => row.key);
}

async function probeTable(
  url: string,
  table: Table,
  { note, signal }: { note: (milliseconds: number, statement: string) => void; signal: AbortSignal },
): Promise<void> {
  await using database = openProbe(url);
  const [read, write] = statementsOf(table);
  for (let n = 0; !signal.aborted; n++)
    for (const [what, text] of [
      [`reading ${table.name}`, read],
      [`writing ${table.name}`, write],
    ] as const) {
      const values = table.large ? [table.samples[n % table.samples.length]] : [];
      const begin = performance.now();
      await database.rows(text, values);
      note(performance.now() - begin, what);
      await sleep(table.large ? pauseMs.large : pauseMs.small);
    }
}

function statementsOf({ name, large, key: [first = ''], key }: Table): [read: string, write: string] {
  if (!large) return [`select 1 from ${name} limit 1`, `delete from ${name} where false`];
  const columns = key.join(', ');
  const found = `(${columns}) = (select ${columns} from json_populate_record(null::${name}, $1))`;
  return [`select * from ${name} where ${found}`, `update ${name} set ${first} = ${first} where ${found}`];
}

function openProbe(url: string): Database & AsyncDisposable {
  return openDatabase({ url, applicationName: 'probe', poolSize: 1, statementTimeoutMs: 0 });
}
