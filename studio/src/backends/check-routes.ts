import { type Driver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { checkAgainst } from '@renderkit/manifests/check-manifest.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { checkNow, type Fit, replaceFits, selectRoutesOn } from './fits-store.ts';

/** For all routes of a backend together: a backend with many packs is slow to report what it has. */
const checkWithinMs = 60_000;

/**
 * Checks every route that names a backend, one after the other, so that a rendering machine is not asked for much at
 * once. The result of each route counts whatever happens to the others. A route that cannot be checked stays as it was
 * known, and is unfit if it was never checked. `changed`: how many routes changed their fit; `failures`: a sentence for
 * each route that could not be checked.
 * @throws EngineFailure if no route could be checked; then nothing is changed
 */
export async function checkRoutes(
  name: string,
  driver: Driver,
  { database, stopping }: { database: Database; stopping: AbortSignal },
): Promise<{ changed: number; failures: readonly string[] }> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(checkWithinMs)]);
  const fits: Fit[] = [];
  const failures: EngineFailure[] = [];
  for (const { manifest, source, files, ...route } of await selectRoutesOn(database, name)) {
    try {
      const model = { manifest, source, files };
      const { problems } = await checkRouteOn({ name, driver }, model, route.route, signal);
      fits.push({ ...route, problems });
    } catch (error) {
      stopping.throwIfAborted();
      const failure = failureOf(error, signal);
      failures.push(failure);
      const message = `${name} cannot be asked: ${failure.message}`;
      fits.push({ ...route, problems: [{ code: 'unknown_backend', message }], unasked: true });
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === fits.length) throw first;
  const changed = await replaceFits(database, name, fits);
  return { changed, failures: failures.map(({ message }) => message) };
}

/** Returns why a route could not be checked. Throws errors that are not the backend's. */
function failureOf(error: unknown, signal: AbortSignal): EngineFailure {
  if (!signal.aborted) {
    if (error instanceof EngineFailure) return error;
    throw error;
  }
  const seconds = checkWithinMs / 1000;
  return new EngineFailure(`It did not say within ${seconds} seconds what it has.`, {
    blame: 'backend',
    code: 'engine_unavailable',
    cause: error,
  });
}

export type StoredModel = { manifest: Manifest; source: string; files: Readonly<Record<string, string>> };

/**
 * Problems of what the manifest's own bindings would set: `checkAgainst` reports them with their place in the manifest.
 */
const reportedBetter: readonly ProblemCode[] = ['out_of_range', 'choice_unknown', 'type_mismatch'];

/**
 * Checks a route of a model, by its position among the routes, on a backend. `problems` close the route there: the
 * backend lacks something, or its inputs do not take what requests may ask for. `ofSomeRequests` leave the route open
 * because other requests run: sizes and lengths that differ from what was asked, and values that a provider refuses. A
 * model with one of them is not put on offer, unless it is a file that is missing for now.
 * @throws EngineFailure if the backend cannot be asked
 */
export async function checkRouteOn(
  { name: backend, driver }: { name: string; driver: Driver },
  model: StoredModel,
  at: number,
  signal: AbortSignal,
): Promise<{ problems: Problem[]; ofSomeRequests: Problem[] }> {
  const { manifest, files } = model;
  const route = manifest.routes[at];
  if (route === undefined) throw new Error(`${manifest.id} has no route ${at}`);
  const asked = { route, files: new Map(Object.entries(files)) };
  const found = await driver.check(asked, signal);
  if (driver.targets === undefined || found.some(({ code }) => code === 'not_a_workflow'))
    return { problems: found, ofSomeRequests: [] };
  const specs = await driver.targets(asked, signal);
  const machine = { backend, targetsOf: () => specs };
  const all = checkAgainst(model, at, machine, { withSteps: true });
  if (route.workflow === undefined) return { problems: found, ofSomeRequests: all };
  const closing = checkAgainst(model, at, machine, { withSteps: false });
  const isReported = (problem: Problem): boolean => closing.some((one) => isSamePlace(one, problem));
  return {
    problems: [
      ...found.filter((problem) => !reportedBetter.includes(problem.code) || !isReported(problem)),
      ...closing.filter(
        (one) =>
          one.code !== 'file_missing' ||
          !found.some((problem) => problem.code === one.code && isSamePlace(one, problem)),
      ),
    ],
    ofSomeRequests: all.filter(({ message }) => !closing.some((one) => one.message === message)),
  };
}

function isSamePlace(one: Problem, other: Problem): boolean {
  return one.node !== undefined && one.node === other.node && one.input === other.input;
}

/** Makes workers check the routes of a version that something waits for before their next round. */
export async function checkRoutesSoon(
  database: Database,
  { id, version }: { id: string; version: number },
): Promise<void> {
  await checkNow(database, id, version);
}
