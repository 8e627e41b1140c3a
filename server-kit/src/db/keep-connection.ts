import pg from 'pg';
import type { Logger } from '../process/logger.ts';

export type KeepConnectionOptions = {
  url: string;
  applicationName: string;
  /** Prepares each connection as it is made; one that cannot be prepared is given up and made again. */
  prepare: (client: pg.Client) => Promise<void>;
  /** Called when the connection that was kept broke. */
  onLost?: () => void;
  log: Logger;
};

const connectTimeoutMs = 5_000;
const keepAliveAfterMs = 5_000;
const initialRetryMs = 100;
const maxRetryMs = 5_000;
/** After so many failures in a row, six seconds or more, somebody has to know: what rests on the connection is not there. */
const warnAfter = 6;

/** Keeps a connection of its own for ever: a lost one is made again with back-off. Disposing closes it. */
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
      // One that the database has given up is noticed, though nothing is sent.
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
