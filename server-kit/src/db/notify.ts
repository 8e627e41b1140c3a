import pg from 'pg';
import type { Logger } from '../process/logger.ts';
import type { Database } from './database.ts';
import { keepConnection } from './keep-connection.ts';

export type Notifier = AsyncDisposable & { announce: (id: string) => void };

// PostgreSQL accepts payloads below 8,000 bytes; an id has about 30.
const idsPerNotification = 200;

/**
 * Announces ids on a channel. Collects the ids of a few milliseconds into one statement and sends it outside any
 * transaction, because NOTIFY in a transaction makes all commits of the cluster wait for each other. A notification may
 * be lost; listeners also poll at an interval, so they find the ids later.
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

/** Listens on channels with one dedicated connection. When the connection is lost, opens a new one with back-off. */
export function listen(options: {
  url: string;
  /** Handles the ids that arrive, for each channel. */
  channels: Readonly<Record<string, (ids: string[]) => void>>;
  log: Logger;
  /** Called after each (re)connect. Notifications from the time without a connection are lost. */
  onConnect?: () => void;
}): AsyncDisposable {
  return keepConnection({
    url: options.url,
    applicationName: 'listen',
    log: options.log,
    prepare: async (client) => {
      client.on('notification', ({ channel, payload }) =>
        options.channels[channel]?.((payload ?? '').split(',')),
      );
      const names = Object.keys(options.channels);
      await client.query(names.map((name) => `listen ${pg.escapeIdentifier(name)}`).join('; '));
      options.onConnect?.();
    },
  });
}
