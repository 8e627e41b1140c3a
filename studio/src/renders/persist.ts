import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';

const retryPausesMs = [100, 300, 1_000, 2_000, 3_000];
const maxRetryPauseMs = 5_000;

/**
 * Retries a write until the database accepts it or `signal` is raised. So no try and no drawn image is lost while the
 * database restarts or waits for disk space.
 */
export async function persist<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || (!isDatabaseUnavailable(error) && !isWorthRetrying(error))) throw error;
      // After `signal` is raised it tries once more: the database may be back just now.
      await sleep(retryPausesMs[tries] ?? maxRetryPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
