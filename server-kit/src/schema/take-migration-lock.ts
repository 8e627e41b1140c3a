import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ConfigError } from '../process/config.ts';

// Any constant serves; all our processes must use the same one.
const advisoryLock = 727_105_001;
const pollMs = 50;
/** The session of a lost machine, and its lock, ends after twenty seconds. By default PostgreSQL waits two hours. */
const sessionSettings = `set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 20000`;

export type Patience = {
  /** After this wait, `tell` reports which process has the lock. */
  tellAfterMs: number;
  /** After this wait, taking the lock fails. */
  giveUpAfterMs: number;
  tell: (sentence: string) => void;
};

export const ordinaryPatience: Patience = {
  tellAfterMs: 5_000,
  giveUpAfterMs: 5 * 60_000,
  tell: (sentence) => process.stderr.write(`${sentence}\n`),
};

/** Opens a connection for migrations, which may hold the lock. The caller must end it. */
export async function connectToMigrate(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'migrate',
    options: '-c timezone=UTC',
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // When the connection breaks between two statements, the next statement reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sessionSettings);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * Takes the lock that lets only one process at a time bring a database up to date. Polls instead of waiting inside a
 * statement, because the snapshot of such a statement would block an index that is built concurrently.
 * @throws ConfigError when another process holds the lock for too long; the signal's reason after the signal aborts
 */
export async function takeMigrationLock(
  client: pg.Client,
  { tellAfterMs, giveUpAfterMs, tell }: Patience,
  signal?: AbortSignal,
): Promise<void> {
  const started = performance.now();
  let isTold = false;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      advisoryLock,
    ]);
    if (rows[0]?.taken === true) return;
    signal?.throwIfAborted();
    const waitedMs = performance.now() - started;
    if (!isTold && waitedMs > tellAfterMs) {
      tell(`Waiting for ${(await findHolder(client)).text}.`);
      isTold = true;
    }
    if (waitedMs > giveUpAfterMs) {
      const { text, pid } = await findHolder(client);
      throw new ConfigError(
        `The database was not brought up to date: ${text} did not come to an end. Wait for it and start again, or end it by \`select pg_terminate_backend(${pid ?? 'its process'})\` if nothing runs there any more.`,
      );
    }
    await sleep(pollMs);
  }
}

async function findHolder(client: pg.Client): Promise<{ text: string; pid: number | undefined }> {
  const { rows } = await client.query<{ pid: number; address: string | null; since: string | null }>(
    `select l.pid, host(a.client_addr) as address, to_char(a.backend_start, 'YYYY-MM-DD HH24:MI:SS "UTC"') as since
       from pg_locks l left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.classid::bigint = 0 and l.objid::bigint = $1
        and l.database = (select oid from pg_database where datname = current_database())`,
    [advisoryLock],
  );
  const [holder] = rows;
  if (holder === undefined) return { text: 'another process, which prepares the database', pid: undefined };
  const { pid, address, since } = holder;
  const from = address === null ? '' : ` from ${address}`;
  return {
    text: `another process${from}, which prepares the database (process ${pid} of PostgreSQL, there since ${since ?? 'a while'})`,
    pid,
  };
}
