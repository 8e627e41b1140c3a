import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';

const retryPausesMs = [100, 300, 1_000, 2_000, 3_000];
const maxRetryPauseMs = 5_000;

/**
 * Neither a try nor an image that is drawn is lost because the database restarts, or waits for space on its disk: goes
 * on until it takes the write, or the job's time is over.
 */
export async function persist<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || (!isDatabaseUnavailable(error) && !isWorthRetrying(error))) throw error;
      // Told to end it tries once more: the database may be back just now.
      await sleep(retryPausesMs[tries] ?? maxRetryPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
