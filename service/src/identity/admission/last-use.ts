import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { noteLastUse } from './store.ts';

const flushEveryMs = 60_000;

/**
 * Collects when each key was last used and writes it to the database once a minute, so that a request needs no write.
 */
export function createLastUse(options: {
  database: Database;
  log: Logger;
}): AsyncDisposable & { note: (keyId: string) => void } {
  let uses = new Map<string, number>();

  const flush = async () => {
    if (uses.size === 0) return;
    const flushed = uses;
    uses = new Map();
    const now = performance.now();
    try {
      await noteLastUse(
        options.database,
        [...flushed].map(([keyId, at]) => ({ keyId, secondsAgo: (now - at) / 1_000 })),
      );
    } catch (error) {
      uses = new Map([...flushed, ...uses]);
      throw error;
    }
  };
  const loop = startLoop({ name: 'last use of keys', everyMs: flushEveryMs, run: flush, log: options.log });

  return {
    note: (keyId) => void uses.set(keyId, performance.now()),
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      await flush().catch((error: unknown) =>
        options.log.warn({ err: error }, 'when keys were last used could not be written down'),
      );
    },
  };
}
