import { type Driver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type Backend, BackendError } from './backend.ts';
import { checkRoutes } from './check-routes.ts';
import { reserveCost } from './cost-queries.ts';
import type { DriverPool } from './driver-pool.ts';
import { fullCheckOf } from '@renderkit/engine-registry/drivers.ts';
import { selectFits } from './fit-queries.ts';
import { fitAndPause } from './fits-store.ts';
import { showBackend } from './manage-backends.ts';
import { probeBackend } from './probe-backend.ts';
import { forgetRouteErrors, selectBackends } from './store.ts';

export type CheckedBackend = Backend & {
  /** As the engine reports it. */
  version: string | null;
  routes: { id: string; route: string; fits: boolean; problems: readonly Problem[] }[];
};

/**
 * Probes a backend now, checks which routes can run there, and stores the results, as the workers do regularly. Forgets
 * the errors that renders met there. A local engine is not asked.
 * @throws BackendError if there is no backend of that name
 */
export async function checkBackend(
  name: string,
  { database, drivers, stopping }: { database: Database; drivers: DriverPool; stopping: AbortSignal },
): Promise<CheckedBackend> {
  await showBackend(database, name);
  const [row] = await selectBackends(database, [name]);
  await forgetRouteErrors(database, name);
  if (row !== undefined && !row.is_local) {
    const driverOf = (): Driver => drivers.driverOf(row);
    // An operator who asks gets the first missing answer reported.
    const { reason } = await probeBackend(name, driverOf, { database, stopping }, 1);
    if (reason === null) await checkRoutesNow(name, driverOf(), { database, stopping });
  }
  await fitAndPause(database);
  const { version, routes } = await selectFits(database, name);
  return { ...(await showBackend(database, name)), version, routes };
}

/**
 * Tries, step by step and with its own jobs, everything that a driver relies on. `spend`: the most that the jobs may
 * cost at a provider, in its currency. Each job is in the ledger of provider costs before it is requested.
 * @throws BackendError if there is no such backend, or no full check for its engine
 */
export async function startFullCheck(
  name: string,
  { database, drivers, stopping }: { database: Database; drivers: DriverPool; stopping: AbortSignal },
  spend = 0,
): Promise<ReturnType<FullCheck>> {
  const [row] = await selectBackends(database, [name]);
  if (row === undefined) throw new BackendError(`There is no backend ${name}.`, { kind: 'missing' });
  const check = fullCheckOf(row.engine);
  if (check === undefined)
    throw new BackendError(`There is no full check for engine ${row.engine}: leave --full out.`);
  try {
    return check(drivers.toolsOf(row), stopping, {
      spend,
      reserve: (amount, currency) => reserveCost(database, { backend: name, amount, currency }),
    });
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    throw new BackendError(error.message, { cause: error });
  }
}

/**
 * Checks the routes of a backend. If the backend answers but cannot report what it has, its routes stay as last known.
 */
async function checkRoutesNow(
  name: string,
  driver: Driver,
  dependencies: { database: Database; stopping: AbortSignal },
): Promise<void> {
  try {
    await checkRoutes(name, driver, dependencies);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
  }
}
