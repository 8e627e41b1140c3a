import type { Database } from '@renderkit/server-kit/db/database.ts';
import { within } from '@renderkit/server-kit/work/within.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { readDatabaseState } from './store.ts';

export type Readiness = {
  /** `degraded`: not every request succeeds, and somebody should look. `unavailable`: no request succeeds. */
  status: 'ready' | 'degraded' | 'unavailable';
  database: 'ok' | 'out_of_reach';
  /** Parts that some requests need and that are missing now. */
  missing: readonly MissingPart[];
  /** How far the host's clock is ahead of the database's clock. */
  clock_skew_seconds: number | null;
  oldest_snapshot_seconds: number | null;
};

// With a larger skew, receivers reject the time stamps in signatures.
const maxClockSkewSeconds = 5;
const maxSnapshotSeconds = 900;

export type ReadinessOptions = {
  database: Database;
  missingParts: () => Promise<readonly MissingPart[]>;
  /** The host's clock, in milliseconds. */
  now?: () => number;
};

/** Makes the check behind /readyz. Concurrent requests share one query. */
export function createReadinessCheck(options: ReadinessOptions): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | undefined;
  return () => (underWay ??= check(options).finally(() => (underWay = undefined)));
}

async function check({ database, missingParts, now = Date.now }: ReadinessOptions): Promise<Readiness> {
  const missingNow = missingParts();
  const asked = now();
  const state = await readDatabaseState(database).catch(() => undefined);
  const answered = now();
  const missing = await missingNow;
  if (state === undefined)
    return {
      status: 'unavailable',
      database: 'out_of_reach',
      missing,
      clock_skew_seconds: null,
      oldest_snapshot_seconds: null,
    };
  // The database answered at some time between `asked` and `answered`.
  const early = asked - state.now_ms;
  const late = answered - state.now_ms;
  const skewMs = early > 0 ? early : Math.min(0, late);
  const healthy =
    missing.length === 0 &&
    Math.abs(skewMs) <= maxClockSkewSeconds * 1_000 &&
    state.oldest_snapshot_seconds <= maxSnapshotSeconds;
  return {
    status: healthy ? 'ready' : 'degraded',
    database: 'ok',
    missing,
    clock_skew_seconds: Math.round(skewMs) / 1_000,
    oldest_snapshot_seconds: Math.round(state.oldest_snapshot_seconds),
  };
}

/** A part that is missing now and that the service needs for some requests. */
export type MissingPart = 'studio' | 'worker';

/**
 * A check takes at most this long. A request waits only `patienceMs` for it and then gets the result of the last check.
 */
const lookTimeoutMs = 3_000;
const patienceMs = 500;
/** An older result is not used. */
const trustedForMs = 10_000;

/**
 * Makes a function that returns the missing parts. It asks the studio, with one call at a time. A hanging studio delays
 * no request by more than half a second. For a studio that does not report its workers, workers are assumed.
 */
export function createMissingParts(
  studio: Pick<StudioClient, 'call'>,
): () => Promise<readonly MissingPart[]> {
  let last: { missing: readonly MissingPart[]; at: number } | undefined;
  let looking: Promise<readonly MissingPart[]> | undefined;

  const look = async () => {
    const missing = await askStudio(studio);
    last = { missing, at: performance.now() };
    return missing;
  };
  return async () => {
    looking ??= look().finally(() => (looking = undefined));
    const seen = await within(looking, patienceMs);
    if (seen !== undefined) return seen;
    return last !== undefined && performance.now() - last.at < trustedForMs ? last.missing : ['studio'];
  };
}

async function askStudio(studio: Pick<StudioClient, 'call'>): Promise<readonly MissingPart[]> {
  try {
    const { workers_alive: workers } = await studio.call('getMetadata', { timeoutMs: lookTimeoutMs });
    return workers === 0 ? ['worker'] : [];
  } catch {
    return ['studio'];
  }
}
