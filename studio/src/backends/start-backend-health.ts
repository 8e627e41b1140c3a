import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { readRevision } from '../catalog/queries.ts';
import { checkRoutes } from './check-routes.ts';
import type { DriverPool } from './driver-pool.ts';
import { fitAndPause, postponeCheck, takeDueChecks } from './fits-store.ts';
import { probeBackend, probeSeconds } from './probe-backend.ts';
import { type BackendRow, takeDueProbes, turnOffDrained } from './store.ts';

const everyMs = 1_000;
const checkSeconds = 60;
const checkAgainSeconds = 10;
const pauseEveryMs = 10_000;

export type HealthDependencies = {
  database: Database;
  drivers: DriverPool;
  /** Called after commit when a waiting render may have a backend now. */
  announce: () => void;
  log: Logger;
  onStuck?: ((loop: string) => void) | undefined;
};

/**
 * Keeps the facts of the backends up to date: whether they answer, which routes they can run, which models are paused.
 * Every worker process runs it. Locks on the rows ensure that only one of them asks a backend at a time.
 */
export function startBackendHealth(dependencies: HealthDependencies): AsyncDisposable {
  const { log, onStuck } = dependencies;
  const start = (name: string, run: (stopping: AbortSignal) => Promise<void>, stuckAfterMs: number) =>
    startLoop({ name, everyMs, run, log, stuckAfterMs, ...(onStuck && { onStuck }) });
  const pauses = createPauses(dependencies);
  const probes = start(
    'backend probes',
    (stopping) => probeDueBackends(dependencies, pauses, stopping),
    30_000,
  );
  // A separate loop: a machine that is slow to report what it has delays no probe.
  const checks = start(
    'backend checks',
    (stopping) => checkDueBackends(dependencies, pauses, stopping),
    120_000,
  );
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([probes[Symbol.asyncDispose](), checks[Symbol.asyncDispose]()]);
    },
  };
}

type Pauses = { update: (changed: boolean) => Promise<void> };

/** Follows the catalog: published routes fit local engines at once, and models that nothing can make are paused. */
function createPauses({ database, announce }: HealthDependencies): Pauses {
  let revision = -1;
  let dueAt = 0;
  return {
    update: async (changed) => {
      const current = await readRevision(database);
      if (changed || current !== revision || performance.now() >= dueAt) {
        revision = current;
        dueAt = performance.now() + pauseEveryMs;
        if (!(await fitAndPause(database)) && !changed) return;
        announce();
      }
    },
  };
}

/** Runs one round of probes: all due ones in parallel. */
async function probeDueBackends(
  { database, drivers, log }: HealthDependencies,
  pauses: Pauses,
  stopping: AbortSignal,
): Promise<void> {
  let changed = (await turnOffDrained(database)) > 0;
  await Promise.all(
    (await takeDueProbes(database, probeSeconds)).map(async (row) => {
      const result = await probeBackend(row.name, () => drivers.driverOf(row), { database, stopping });
      if (!result.changed) return;
      changed = true;
      if (result.reason === null) log.info({ backend: row.name }, 'a backend is up');
      else log.warn({ backend: row.name, reason: result.reason }, 'a backend is down');
    }),
  );
  await pauses.update(changed);
}

async function checkDueBackends(
  { database, drivers, log }: HealthDependencies,
  pauses: Pauses,
  stopping: AbortSignal,
): Promise<void> {
  const due = await takeDueChecks(database, checkSeconds);
  const check = async (row: BackendRow) => {
    try {
      const found = await checkRoutes(row.name, drivers.driverOf(row), { database, stopping });
      const [reason] = found.failures;
      if (reason !== undefined)
        log.warn(
          { backend: row.name, reason, routes: found.failures.length },
          'some routes of a backend could not be checked',
        );
      if (found.changed > 0) await pauses.update(true);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      log.warn({ backend: row.name, reason: error.message }, 'the routes of a backend could not be checked');
      await postponeCheck(database, row.name, checkAgainSeconds);
    }
  };
  await Promise.all(due.map(check));
}
