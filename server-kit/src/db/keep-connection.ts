import pg from 'pg';
import type { Logger } from '../process/logger.ts';

export type KeepConnectionOptions = {
  url: string;
  applicationName: string;
  /** Prepares each new connection. A connection that cannot be prepared is closed and opened again. */
  prepare: (client: pg.Client) => Promise<void>;
  /** Called when the connection broke. */
  onLost?: () => void;
  log: Logger;
};

const connectTimeoutMs = 5_000;
const keepAliveAfterMs = 5_000;
const initialRetryMs = 100;
const maxRetryMs = 5_000;
/**
 * The number of failures in a row after which a warning is logged. They take six seconds or more, and everything that
 * uses the connection does not work meanwhile.
 */
const warnAfter = 6;

/**
 * Keeps one dedicated connection open. When the connection is lost, opens a new one with back-off. Disposing closes it.
 */
export function keepConnection(options: KeepConnectionOptions): AsyncDisposable {
  const { log, applicationName } = options;
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;

  const lost = (which: pg.Client) => {
    if (client !== which) return;
    client = undefined;
    options.onLost?.();
    if (stopped || retry !== undefined) return;
    retry = setTimeout(
      () => {
        retry = undefined;
        void connect();
      },
      Math.min(maxRetryMs, initialRetryMs * 2 ** Math.min(failures++, 6)),
    );
  };

  const connect = async () => {
    const mine = new pg.Client({
      connectionString: options.url,
      application_name: applicationName,
      // Detects a connection that the database has closed, even when nothing is sent.
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
      connectionTimeoutMillis: connectTimeoutMs,
    });
    client = mine;
    mine.on('error', (error) => {
      log.debug({ err: error, applicationName }, 'a connection that is kept broke');
      lost(mine);
    });
    mine.on('end', () => lost(mine));
    try {
      await mine.connect();
      await options.prepare(mine);
      failures = 0;
    } catch (error) {
      const level = failures === warnAfter ? 'warn' : 'debug';
      log[level]({ err: error, applicationName }, 'a connection that is kept could not be made');
      lost(mine);
      mine.end().catch(() => undefined);
    }
  };
  const first = connect();

  return {
    [Symbol.asyncDispose]: async () => {
      stopped = true;
      clearTimeout(retry);
      const mine = client;
      client = undefined;
      await first;
      await mine?.end().catch(() => undefined);
    },
  };
}
