import { type Driver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { recordBadProbe, recordGoodProbe } from './store.ts';

const probeWithinMs = 3_000;
/** Seconds between two probes of a backend that is up, and of one that is down. */
export const probeSeconds = { up: 10, down: 30 };
const againSeconds = 2;
const maxFailedProbes = 2;

export type ProbeDependencies = { database: Database; stopping: AbortSignal };

/**
 * Probes a backend and stores the result. `driverOf` may throw as the driver does. Returns whether the backend went
 * down or came back, and the reason if it did not answer. `maxFailed`: after so many failed probes it is down. The
 * workers probe regularly: `start-backend-health.ts`.
 */
export async function probeBackend(
  name: string,
  driverOf: () => Driver,
  { database, stopping }: ProbeDependencies,
  maxFailed = maxFailedProbes,
): Promise<{ changed: boolean; reason: string | null }> {
  try {
    const health = await driverOf().probe(AbortSignal.any([stopping, AbortSignal.timeout(probeWithinMs)]));
    return {
      changed: await recordGoodProbe(database, name, { ...health, nextSeconds: probeSeconds.up }),
      reason: null,
    };
  } catch (error) {
    stopping.throwIfAborted();
    const reason = reasonOf(error);
    return { changed: await recordBadProbe(database, name, { reason, againSeconds, maxFailed }), reason };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof EngineFailure) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `It did not answer within ${probeWithinMs / 1000} seconds.`;
  throw error;
}
