import pg from 'pg';
import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';

// int8 and numeric arrive as strings by default. Every bigint of ours is an amount, a counter or
// a sequence far below 2^53; one that is not is a fault worth a loud stop.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database sent ${text}, beyond exact integers`);
  return value;
});
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
// A date is a day, not a moment: as text it keeps no time zone to get wrong.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** How statements are run, on the pool and in a transaction alike. A `name` has one prepared once per connection. */
export type Queryable = {
  /** The statement's rows. */
  rows: <Row extends QueryResultRow>(text: string, values?: unknown[], name?: string) => Promise<Row[]>;
  /** How many rows the statement changed or found. */
  execute: (text: string, values?: unknown[], name?: string) => Promise<number>;
};

/** Statements of one connection, between its `begin` and its `commit`. */
export type Transaction = Queryable;

export type Database = AsyncDisposable &
  Queryable & {
    readonly url: string;
    readonly pool: Pool;
    /** Runs `work` in one transaction; anything thrown rolls back. A commit whose answer was lost throws CommitUnconfirmed. */
    transaction: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  };

export type DatabaseOptions = {
  url: string;
  /** Connections at most. Default 10. */
  poolSize?: number;
  applicationName: string;
  /** Milliseconds; 0 lifts the limit (migrations and backups only). Default 5000 for all three. */
  statementTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool makes a new one by itself. */
  onIdleError?: (error: Error) => void;
};

/** The COMMIT was sent and its answer never came: the work is done or not, and only a look can show which. */
export class CommitUnconfirmed extends Error {
  override name = 'CommitUnconfirmed';
}

const defaultTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;

/** Opens a pool. Every session speaks UTC and has statement, lock and idle-in-transaction time-outs. */
export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.statementTimeoutMs ?? defaultTimeoutMs;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    // Half-open connections are noticed by the client as well as by the server.
    ...(timeout > 0 && { query_timeout: timeout + 2_000 }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    idleTimeoutMillis: 60_000,
    options: `-c timezone=UTC -c statement_timeout=${timeout} -c lock_timeout=${timeout} -c idle_in_transaction_session_timeout=${timeout}`,
  });
  pool.on('error', (error) => {
    // The pool hangs its client on it, with the password and the key that cancels: nobody is to print those.
    Reflect.deleteProperty(error, 'client');
    options.onIdleError?.(error);
  });
  return {
    url: options.url,
    pool,
    ...queryable(pool),
    transaction: (work) => inTransaction(pool, work),
    [Symbol.asyncDispose]: async () => {
      await pool.end();
    },
  };
}

/** The same on a connection that somebody else opened. */
export function queryable(connection: Pool | ClientBase): Queryable {
  const query = <Row extends QueryResultRow>(text: string, values: unknown[] = [], name?: string) =>
    connection.query<Row>({ text, values, ...(name !== undefined && { name }) });
  return {
    rows: async <Row extends QueryResultRow>(text: string, values?: unknown[], name?: string) =>
      (await query<Row>(text, values, name)).rows,
    execute: async (text, values, name) => (await query(text, values, name)).rowCount ?? 0,
  };
}

async function inTransaction<T>(pool: Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Without a listener a connection that dies between two statements would end the process.
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(queryable(client));
    await commit(client);
    return result;
  } catch (error) {
    if (error instanceof CommitUnconfirmed) broken ??= error;
    else await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    const { command } = await client.query('commit');
    // PostgreSQL answers ROLLBACK to the COMMIT of a failed transaction.
    if (command !== 'COMMIT') throw new Error('the transaction had failed before its commit');
  } catch (error) {
    if (sqlState(error) !== undefined || (error as Error).message.startsWith('the transaction had failed'))
      throw error;
    throw new CommitUnconfirmed('the connection was lost during COMMIT', { cause: error });
  }
}

/** The five-character SQLSTATE of a database error, else undefined. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** True where the same transaction may simply be tried again: serialization failure, deadlock, lock time-out. */
export function isWorthRetrying(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01' || state === '55P03';
}

/**
 * SQLSTATEs (by their beginnings) of a database that cannot serve now and may later: connections, disk or memory are
 * used up (53), an operator or a crash ended the session, it starts or recovers (57), its disk fails (58), a lock or an
 * idle transaction took too long, it is read-only as a standby is (25006).
 */
const unavailableStates = /^(08|53|57|58|55P03|25P03|25006)/;

/** True where the database could not be reached or written to: waiting may help. A lost commit is one of these. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof CommitUnconfirmed) return true;
  const state = sqlState(error);
  if (state !== undefined) return unavailableStates.test(state) || isOnReadOnlyDisk(state, error);
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return (
    /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND)/.test(code ?? '') ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
      message ?? '',
    )
  );
}

/** PostgreSQL reports a file system that became read-only as a lack of rights (42501), of a file and not of a table. */
function isOnReadOnlyDisk(state: string, error: unknown): boolean {
  return state === '42501' && error instanceof Error && /read-only file system/i.test(error.message);
}
