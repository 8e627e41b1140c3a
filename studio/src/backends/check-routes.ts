import { type Driver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type Fit, replaceFits, selectRoutesOn } from './fits-store.ts';

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
  for (const { definition, files, ...route } of await selectRoutesOn(database, name)) {
    try {
      const problems = await driver.check(
        { route: definition, files: new Map(Object.entries(files)) },
        signal,
      );
      fits.push({ ...route, problems });
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
