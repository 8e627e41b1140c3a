import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { checkRouteOn, type StoredModel } from '../backends/check-routes.ts';
import type { DriverPool } from '../backends/driver-pool.ts';
import { findBackendsOf, whyNowhere } from '../backends/find-backends-of.ts';
import { readModelTexts } from '../catalog/read-files.ts';
import { untraceableRoutes } from '@renderkit/manifests/untraceable-routes.ts';
import {
  checkModels,
  type FindingsOf,
  type ModelFit,
  type ModelTexts,
  tooSmallFor,
  versionsOf,
} from './models.ts';
import { selectMemory } from './store.ts';
import { warnOfOffer } from './warn-of-offer.ts';

export type Machines = { drivers: DriverPool; withinMs: number };

/**
 * `problems` is null if the backend could not be asked, or if there is none (`backend` null); `message` explains it.
 * `ofSomeRequests`: as in `checkRouteOn`.
 */
type MachineAnswer = { route: string; backend: string | null } & (
  | { problems: readonly Problem[]; ofSomeRequests: readonly Problem[]; tooSmall: string | null }
  | { problems: null; message: string }
);

/** What machines may lack for now: files and nodes can be installed, and a model without them is paused. */
const lacking: readonly ProblemCode[] = ['file_missing', 'node_missing'];

/**
 * Returns a function that finds what keeps a model from being offered, and what else an operator should know. It checks
 * the model itself and asks the backends that its routes name.
 */
export function findingsByMachines(database: Database, machines: Machines): FindingsOf {
  return async (model) => {
    const { problems, lacking: cannotNow, warnings } = await checkTexts(database, model, machines);
    return { problems, warnings: [...cannotNow, ...warnings] };
  };
}

/**
 * Collects everything that is known of a model that is not on offer. `problems`: any of them keeps it from being
 * offered; a route is refused if each backend that answers reports that its manifest is wrong. `lacking`: routes that
 * no backend can take as it is, in a sentence each; if that holds for all routes, the model would be paused.
 * `warnings`: plans that do not exist; sizes of another shape than their ratio; problems of single backends with a
 * route that another one takes; missing files that only some requests name; backends that could not be asked.
 */
export async function checkTexts(
  database: Database,
  { source, files }: ModelTexts,
  machines: Machines,
): Promise<{ problems: Problem[]; lacking: string[]; warnings: string[] }> {
  const { model, problems } = readModelTexts(source, files);
  if (model === undefined) return { problems: [...problems], lacking: [], warnings: [] };
  const answers = await askMachines(database, model, machines);
  const routes = Array.from(
    Map.groupBy(answers, ({ route }) => route),
    ([route, all]) => ({
      refusals: refusalsOf(route, all),
      lacks: lackingOf(route, all),
      others: warningsOf(route, all),
    }),
  );
  return {
    problems: [...problems, ...routes.flatMap(({ refusals }) => refusals)],
    lacking: routes.flatMap(({ lacks }) => lacks),
    warnings: [
      ...(await warnOfOffer(database, model.manifest)),
      ...untraceableRoutes(model.manifest.routes),
      ...routes.flatMap(({ refusals, lacks, others }) =>
        others.filter((one) => !lacks.includes(one) && !refusals.some(({ message }) => message === one)),
      ),
    ],
  };
}

/** Returns what each machine of a route lacks, if every one lacks something or does not answer. */
function lackingOf(route: string, answers: readonly MachineAnswer[]): string[] {
  const lacks = answers.map((answer) =>
    answer.problems === null
      ? [inRoute(route, { message: silenceOf(answer) })]
      : answer.problems
          .filter(({ code }) => lacking.includes(code))
          .map((problem) => inRoute(route, problem)),
  );
  return lacks.some((found) => found.length === 0) ? [] : [...new Set(lacks.flat())];
}

function refusalsOf(route: string, answers: readonly MachineAnswer[]): Problem[] {
  const refusals = answers.flatMap((answer) => (answer.problems === null ? [] : [wrongIn(answer)]));
  if (refusals.length === 0 || refusals.some((found) => found.length === 0)) return [];
  return (refusals[0] ?? []).map((problem) => ({ ...problem, message: inRoute(route, problem) }));
}

/** Returns the problems of a manifest that a machine does not take, whatever is installed there. */
function wrongIn({
  problems,
  ofSomeRequests,
}: {
  problems: readonly Problem[];
  ofSomeRequests: readonly Problem[];
}): Problem[] {
  return [...problems, ...ofSomeRequests].filter(({ code }) => !lacking.includes(code));
}

function warningsOf(route: string, answers: readonly MachineAnswer[]): string[] {
  return answers.flatMap((answer) => {
    if (answer.problems === null) return [inRoute(route, { message: silenceOf(answer) })];
    const { problems, ofSomeRequests, tooSmall } = answer;
    const memory = tooSmall === null ? [] : [{ message: tooSmall }];
    return [...problems, ...ofSomeRequests, ...memory].map((one) => inRoute(route, one));
  });
}

/**
 * Returns the sentence for a machine that does not answer. Such a machine keeps no model from being offered, but nobody
 * may think that it agreed.
 */
function silenceOf({ backend, message }: { backend: string | null; message: string }): string {
  if (backend === null) return message;
  return `${message} What it takes and has is checked as soon as it answers; the model is paused if nothing can make it then.`;
}

/** Adds the route's name, except to a problem of a manifest, which already names its route. */
function inRoute(route: string, { message, line }: Pick<Problem, 'message' | 'line'>): string {
  return line === undefined ? `Route ${route}: ${message}` : message;
}

/**
 * Returns whether each route of a model works on each backend that it names, in the offered version or else the newest.
 * Backends that answer are asked now.
 * @throws ModelRefused if there is no such model
 */
export async function checkModelNow(database: Database, id: string, machines: Machines): Promise<ModelFit[]> {
  const { newest, published } = await versionsOf(database, id);
  const answers = await askMachines(database, published ?? newest, machines);
  return (await checkModels(database, id)).map((known) => {
    const answer = answers.find(({ route, backend }) => route === known.route && backend === known.backend);
    if (answer === undefined) return known;
    if (answer.problems === null)
      return { ...known, fits: false, problems: [{ code: 'unknown_backend', message: answer.message }] };
    const { problems, ofSomeRequests } = answer;
    return { ...known, fits: problems.length === 0, problems: [...problems, ...ofSomeRequests] };
  });
}

/**
 * Asks each backend behind an address that a route names. Local engines run every route that names them. A route
 * without a backend gets an answer that explains it.
 */
async function askMachines(
  database: Database,
  model: StoredModel,
  { drivers, withinMs }: Machines,
): Promise<MachineAnswer[]> {
  const signal = AbortSignal.timeout(withinMs);
  const memory = await selectMemory(database);
  const asked = model.manifest.routes.map(
    async ({ name: route, engine, on, requires }, at): Promise<MachineAnswer[]> => {
      const rows = await findBackendsOf(database, { engine, on });
      if (rows.length === 0)
        return [{ route, backend: null, problems: null, message: whyNowhere({ engine, on }) }];
      const machines = rows.filter(({ is_local: isLocal }) => !isLocal);
      return Promise.all(
        machines.map(async (row): Promise<MachineAnswer> => {
          const { name: backend } = row;
          try {
            const driver = drivers.driverOf(row);
            const found = await checkRouteOn({ name: backend, driver }, model, at, signal);
            return {
              route,
              backend,
              ...found,
              tooSmall: tooSmallFor(requires, backend, memory.get(backend)),
            };
          } catch (error) {
            if (!signal.aborted && !(error instanceof EngineFailure)) throw error;
            const why = signal.aborted ? 'it does not say what it has.' : (error as EngineFailure).message;
            return { route, backend, problems: null, message: `${backend} cannot be asked: ${why}` };
          }
        }),
      );
    },
  );
  return (await Promise.all(asked)).flat();
}
