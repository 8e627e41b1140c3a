import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { checkRouteOn } from '../backends/check-routes.ts';
import type { DriverPool } from '../backends/driver-pool.ts';
import { findBackendsOf } from '../backends/find-backends-of.ts';
import { readModelTexts } from '../catalog/read-files.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { checkModels, type ModelFit, type ModelTexts, type ProblemsOf, versionsOf } from './models.ts';

export type Machines = { drivers: DriverPool; withinMs: number };

/** `problems` null: it could not be asked; `message` says why. */
type MachineAnswer = { route: string; backend: string } & (
  | { problems: readonly Problem[] }
  | { problems: null; message: string }
);

/** What machines may lack for now: files and nodes come by being installed, and a model without them is paused. */
const lacking: readonly ProblemCode[] = ['file_missing', 'node_missing'];

/** What keeps a model from being offered, by itself and by the backends that its routes name and that answer. */
export function problemsByMachines(database: Database, machines: Machines): ProblemsOf {
  return async (model) => (await checkTexts(database, model, machines)).problems;
}

/**
 * All that is known of a model that is not on offer. `problems`: with any of them it cannot be; a route is refused where each
 * backend that answers says that its manifest is wrong. `lacking`: routes that no backend can take as it is, in a sentence
 * each; where that holds for all routes, the model would be paused.
 */
export async function checkTexts(
  database: Database,
  { source, files }: ModelTexts,
  machines: Machines,
): Promise<{ problems: readonly Problem[]; lacking: readonly string[] }> {
  const { model, problems } = readModelTexts(source, files);
  if (model === undefined) return { problems, lacking: [] };
  const answers = await askMachines(database, model, machines);
  const byRoute = Map.groupBy(answers, ({ route }) => route);
  return {
    problems: [...problems, ...[...byRoute].flatMap(([route, all]) => faultsOf(route, all))],
    lacking: [...byRoute].flatMap(([route, all]) => lackingOf(route, all)),
  };
}

/** What each machine of a route lacks, where each lacks something or does not answer. */
function lackingOf(route: string, answers: readonly MachineAnswer[]): string[] {
  const lacks = answers.map((answer) =>
    answer.problems === null
      ? [answer.message]
      : answer.problems.filter(({ code }) => lacking.includes(code)).map(({ message }) => message),
  );
  return lacks.some((found) => found.length === 0)
    ? []
    : [...new Set(lacks.flat())].map((message) => `Route ${route}: ${message}`);
}

function faultsOf(route: string, answers: readonly MachineAnswer[]): Problem[] {
  const faults = answers.flatMap(({ problems }) =>
    problems === null ? [] : [problems.filter(({ code }) => !lacking.includes(code))],
  );
  if (faults.length === 0 || faults.some((found) => found.length === 0)) return [];
  return (faults[0] ?? []).map((problem) => ({ ...problem, message: `Route ${route}: ${problem.message}` }));
}

/**
 * Whether each route of a model, as it is offered or else in its newest version, works on each backend that it names: asked
 * now where they answer. @throws ModelRefused where there is no such model
 */
export async function checkModelNow(database: Database, id: string, machines: Machines): Promise<ModelFit[]> {
  const { newest, published } = await versionsOf(database, id);
  const answers = await askMachines(database, published ?? newest, machines);
  return (await checkModels(database, id)).map((known) => {
    const answer = answers.find(({ route, backend }) => route === known.route && backend === known.backend);
    if (answer === undefined) return known;
    const problems: readonly Problem[] = answer.problems ?? [
      { code: 'unknown_backend', message: answer.message },
    ];
    return { ...known, fits: problems.length === 0, problems };
  });
}

/** Asks each backend behind an address that a route names; local ones run whatever names them. */
async function askMachines(
  database: Database,
  model: { manifest: Manifest; files: Readonly<Record<string, string>> },
  { drivers, withinMs }: Machines,
): Promise<MachineAnswer[]> {
  const signal = AbortSignal.timeout(withinMs);
  const asked = model.manifest.routes.map(async ({ name: route, engine, on }, at) => {
    const rows = (await findBackendsOf(database, { engine, on })).filter(({ is_local: isLocal }) => !isLocal);
    return Promise.all(
      rows.map(async (row): Promise<MachineAnswer> => {
        const { name: backend } = row;
        try {
          const problems = await checkRouteOn(drivers.driverOf(row), model, at, signal);
          return { route, backend, problems };
        } catch (error) {
          if (!signal.aborted && !(error instanceof EngineFailure)) throw error;
          const why = signal.aborted ? 'it does not say what it has' : (error as EngineFailure).message;
          return { route, backend, problems: null, message: `${backend} cannot be asked: ${why}` };
        }
      }),
    );
  });
  return (await Promise.all(asked)).flat();
}
