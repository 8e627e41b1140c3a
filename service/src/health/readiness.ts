import type { Database } from '@renderkit/server-kit/database.ts';
import { readDatabaseState } from './store.ts';

export type Readiness = {
  /** `degraded` serves, but somebody should look. */
  status: 'ready' | 'degraded' | 'unavailable';
  database: 'ok' | 'out_of_reach';
  /** How far the host's clock is ahead of the database's. */
  clock_skew_seconds: number | null;
  oldest_snapshot_seconds: number | null;
};

// Beyond this, time stamps in signatures are wrong for their receivers.
const maxClockSkewSeconds = 5;
const maxSnapshotSeconds = 900;

/** Makes the check behind /readyz. Those who ask at the same time share one look at the database. */
export function createReadinessCheck(
  database: Database,
  now: () => number = Date.now,
): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | undefined;
  return () => (underWay ??= check(database, now).finally(() => (underWay = undefined)));
}

async function check(database: Database, now: () => number): Promise<Readiness> {
  const asked = now();
  const state = await readDatabaseState(database).catch(() => undefined);
  if (state === undefined)
    return {
      status: 'unavailable',
      database: 'out_of_reach',
      clock_skew_seconds: null,
      oldest_snapshot_seconds: null,
    };
  // The database answered some time between our asking and now.
  const early = asked - state.now_ms;
  const late = now() - state.now_ms;
  const skewMs = early > 0 ? early : Math.min(0, late);
  const healthy =
    Math.abs(skewMs) <= maxClockSkewSeconds * 1_000 && state.oldest_snapshot_seconds <= maxSnapshotSeconds;
  return {
    status: healthy ? 'ready' : 'degraded',
    database: 'ok',
    clock_skew_seconds: Math.round(skewMs) / 1_000,
    oldest_snapshot_seconds: Math.round(state.oldest_snapshot_seconds),
  };
}
