import pg from 'pg';
import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';

// int8 and numeric arrive as strings by default. Every bigint of ours is an amount, a counter or a sequence far below
// 2^53. A larger value is a bug and must fail loudly.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database sent ${text}, beyond exact integers`);
  return value;
});
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
// A date is a day, not a moment. It stays text, so that no time zone can change it.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** Runs statements, on the pool or in a transaction. A statement with a `name` is prepared once per connection. */
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
    /**
     * Runs `work` in one transaction. Any thrown error rolls it back.
     * @throws CommitUnconfirmed when the answer to the commit was lost
     */
    transaction: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  };

export type DatabaseOptions = {
  url: string;
  /** The maximum number of connections. Default 10. */
  poolSize?: number;
  applicationName: string;
  /**
   * Milliseconds; 0 removes the limit (for migrations and backups only). Default 5000. Sets the time-outs for
   * statements, locks and idle transactions.
   */
  statementTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool makes a new one by itself. */
  onIdleError?: (error: Error) => void;
};

/**
 * The COMMIT was sent and no answer came. The database may have committed the work or not; only a new query can show
 * which.
 */
export class CommitUnconfirmed extends Error {
  override name = 'CommitUnconfirmed';
}

const defaultTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;

/** Opens a pool. Every session uses UTC and has time-outs for statements, locks and idle transactions. */
export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.statementTimeoutMs ?? defaultTimeoutMs;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    // The client detects half-open connections too, not only the server.
    ...(timeout > 0 && { query_timeout: timeout + 2_000 }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    idleTimeoutMillis: 60_000,
    options: `-c timezone=UTC -c statement_timeout=${timeout} -c lock_timeout=${timeout} -c idle_in_transaction_session_timeout=${timeout}`,
  });
  pool.on('error', (error) => {
    // The pool attaches its client to the error, with the password and the cancel key. Nobody may print those.
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

/** Wraps a connection or pool that the caller opened. */
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
  // Without a listener, a connection that breaks between two statements would end the process.
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

/** Returns the five-character SQLSTATE of a database error, else `undefined`. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Returns true when the caller may retry the same transaction: serialization failure, deadlock, lock time-out. */
export function isWorthRetrying(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01' || state === '55P03';
}

/**
 * The first characters of SQLSTATEs of a database that cannot serve now but may serve later: the connection fails (08);
 * connections, disk or memory are used up (53); an operator or a crash ended the session, or the database starts or
 * recovers (57); its disk fails (58); a lock or an idle transaction took too long; the database is read-only, as a
 * standby is (25006).
 */
const unavailableStates = /^(08|53|57|58|55P03|25P03|25006)/;

/**
 * Returns true when the database could not be reached or written to, so that waiting may help. `CommitUnconfirmed`
 * counts too.
 */
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

/** PostgreSQL reports a file system that became read-only as missing rights (42501) on a file, not on a table. */
function isOnReadOnlyDisk(state: string, error: unknown): boolean {
  return state === '42501' && error instanceof Error && /read-only file system/i.test(error.message);
}
