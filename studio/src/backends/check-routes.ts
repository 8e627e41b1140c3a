import { type Driver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { checkAgainst } from '../manifests/check-manifest.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { checkNow, type Fit, replaceFits, selectRoutesOn } from './fits-store.ts';

/** Of all routes of a backend together: one that names many packs is slow to say what it has. */
const checkWithinMs = 60_000;

/**
 * Checks every route that names a backend, one after the other: a machine that renders is not asked for much at once. Returns
 * how many fit otherwise than before. @throws EngineFailure where it cannot be asked; then nothing is changed
 */
export async function checkRoutes(
  name: string,
  driver: Driver,
  { database, stopping }: { database: Database; stopping: AbortSignal },
): Promise<number> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(checkWithinMs)]);
  const fits: Fit[] = [];
  for (const { manifest, files, ...route } of await selectRoutesOn(database, name)) {
    try {
      fits.push({ ...route, problems: await checkRouteOn(driver, { manifest, files }, route.route, signal) });
    } catch (error) {
      stopping.throwIfAborted();
      if (!signal.aborted) throw error;
      const seconds = checkWithinMs / 1000;
      throw new EngineFailure(`It did not say within ${seconds} seconds what it has.`, {
        blame: 'backend',
        code: 'engine_unavailable',
        cause: error,
      });
    }
  }
  return replaceFits(database, name, fits);
}

/**
 * What keeps a route of a model, by its place among the routes, from running on a backend: what the backend lacks, and what
 * requests may ask for and its inputs do not take. @throws EngineFailure where it cannot be asked
 */
export async function checkRouteOn(
  driver: Driver,
  { manifest, files }: { manifest: Manifest; files: Readonly<Record<string, string>> },
  at: number,
  signal: AbortSignal,
): Promise<Problem[]> {
  const route = manifest.routes[at];
  if (route === undefined) throw new Error(`${manifest.id} has no route ${at}`);
  const asked = { route, files: new Map(Object.entries(files)) };
  const problems = await driver.check(asked, signal);
  if (driver.targets === undefined || problems.some(({ code }) => code === 'not_a_workflow')) return problems;
  return [...problems, ...checkAgainst(manifest, route, await driver.targets(asked, signal))];
}

/** Has workers check the routes of a version that something waits for, without waiting for their next round. */
export async function checkRoutesSoon(
  database: Database,
  { id, version }: { id: string; version: number },
): Promise<void> {
  await checkNow(database, id, version);
}
