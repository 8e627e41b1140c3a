import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ConfigError } from '../process/config.ts';

// Any constant serves; all our processes must use the same one.
const advisoryLock = 727_105_001;
const pollMs = 50;
/** A session of a machine that is gone ends after twenty seconds, and its lock with it: PostgreSQL waits two hours by itself. */
const sessionSettings = `set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 20000`;

export type Patience = {
  /** Whoever waits longer says for whom. */
  tellAfterMs: number;
  /** Whoever waits longer gives up. */
  giveUpAfterMs: number;
  tell: (sentence: string) => void;
};

export const ordinaryPatience: Patience = {
  tellAfterMs: 5_000,
  giveUpAfterMs: 5 * 60_000,
  tell: (sentence) => process.stderr.write(`${sentence}\n`),
};

/** A connection for migrations, which may hold the lock; the caller ends it. */
export async function connectToMigrate(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'migrate',
    options: '-c timezone=UTC',
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // One that breaks between two statements is told by the next one.
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
 * Takes the lock under which one process at a time brings a database up to date. It polls instead of waiting inside a
 * statement, whose snapshot would hold up an index that is built concurrently.
 * @throws ConfigError where another holds it for too long; what the signal says once it is aborted
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
