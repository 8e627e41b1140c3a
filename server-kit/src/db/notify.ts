import pg from 'pg';
import type { Logger } from '../process/logger.ts';
import type { Database } from './database.ts';

export type Notifier = AsyncDisposable & { announce: (id: string) => void };

// PostgreSQL takes payloads below 8,000 bytes; an id is about 30.
const idsPerNotification = 200;

/**
 * Announces ids on a channel, those of the last few milliseconds in one statement and outside any transaction:
 * NOTIFY within one makes all commits of the cluster queue behind each other. A lost one is made up for by the
 * listeners' own floor of polling.
 */
export function createNotifier(options: {
  database: Database;
  channel: string;
  log: Logger;
  delayMs?: number;
}): Notifier {
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let flying: Promise<void> = Promise.resolve();

  const flush = async () => {
    timer = undefined;
    const ids = [...pending];
    pending = new Set();
    const payloads: string[] = [];
    for (let i = 0; i < ids.length; i += idsPerNotification)
      payloads.push(ids.slice(i, i + idsPerNotification).join(','));
    try {
      await options.database.rows('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
        options.channel,
        payloads,
      ]);
    } catch (error) {
      options.log.debug({ err: error }, 'a notification was lost; listeners find out by polling');
    }
  };

  return {
    announce: (id) => {
      pending.add(id);
      timer ??= setTimeout(() => {
        flying = flush();
      }, options.delayMs ?? 3);
    },
    [Symbol.asyncDispose]: async () => {
      if (timer !== undefined) {
        clearTimeout(timer);
        flying = flush();
      }
      await flying;
    },
  };
}

/** Listens on channels with one connection of its own, for ever: a lost one is made again with back-off. */
export function listen(options: {
  url: string;
  /** What to do with the ids that come on each channel. */
  channels: Readonly<Record<string, (ids: string[]) => void>>;
  log: Logger;
  /** Called after each (re)connect: what was announced meanwhile is unknown. */
  onConnect?: () => void;
}): AsyncDisposable {
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;

  const again = () => {
    client = undefined;
    if (stopped || retry !== undefined) return;
    retry = setTimeout(
      () => {
        retry = undefined;
        void connect();
      },
      Math.min(5_000, 100 * 2 ** Math.min(failures++, 6)),
    );
  };

  const connect = async () => {
    const mine = new pg.Client({
      connectionString: options.url,
      application_name: 'listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client = mine;
    mine.on('error', (error) => {
      options.log.debug({ err: error }, 'the listening connection broke');
      if (client === mine) again();
    });
    mine.on('end', () => {
      if (client === mine) again();
    });
    mine.on('notification', ({ channel, payload }) =>
      options.channels[channel]?.((payload ?? '').split(',')),
    );
    try {
      await mine.connect();
      const names = Object.keys(options.channels);
      await mine.query(names.map((name) => `listen ${pg.escapeIdentifier(name)}`).join('; '));
      failures = 0;
      options.onConnect?.();
    } catch (error) {
      options.log.debug({ err: error }, 'could not listen');
      if (client === mine) again();
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
