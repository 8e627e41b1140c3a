import { Client } from 'pg';

/**
 * The facts about a database that the stack requires, as the database reports them. `prepareDatabase` in `databases.ts`
 * refuses a database by them.
 */
export type DatabaseFacts = {
  version: number;
  encoding: string;
  fsync: string;
  synchronousCommit: string;
};

/** Asks a database for the settings that the product's guarantees depend on. */
export async function readDatabaseFacts(url: string): Promise<DatabaseFacts> {
  const [facts] = await ask<DatabaseFacts>(
    url,
    `select current_setting('server_version_num')::int / 10000 as version,
            current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as "synchronousCommit"`,
  );
  if (facts === undefined) throw new Error('the database did not say its settings');
  return facts;
}

const firstStartDone = 'first_start';

/** Returns whether a start has been completed on this database before. */
export async function wasStartedBefore(serviceUrl: string): Promise<boolean> {
  const rows = await ask(serviceUrl, 'select 1 from settings where name = $1', [firstStartDone]);
  return rows.length > 0;
}

/** Stores that the first start is done. */
export async function rememberFirstStart(serviceUrl: string, outcome: 'demo' | 'plain'): Promise<void> {
  await ask(serviceUrl, 'insert into settings (name, value) values ($1, $2) on conflict (name) do nothing', [
    firstStartDone,
    outcome,
  ]);
}

/** Returns whether anybody has an account at the service. The service's tables must exist. */
export async function holdsAccounts(serviceUrl: string): Promise<boolean> {
  const [accounts] = await ask<{ any: boolean }>(serviceUrl, 'select exists (select 1 from accounts) as any');
  return accounts?.any === true;
}

async function ask<Row extends object>(url: string, query: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({
    connectionString: url,
    application_name: 'stack',
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row & Record<string, unknown>>(query, values)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
