import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import { readModelTexts } from '../catalog/read-files.ts';
import { readWorkflow, splitTarget } from '@renderkit/manifests/workflow-file.ts';
import { addDraft, type AddedModel } from './add-model.ts';
import { editSource } from './edit-source.ts';
import {
  basedOn,
  type Findings,
  type FindingsOf,
  modelChanged,
  ModelRefused,
  type ModelTexts,
  versionsOf,
} from './models.ts';

/** An input of a workflow, and the source in a request that sets it. */
export type ParameterBinding = { target: string; source: string };

/** `bindings`: with the targets as the manifest names them. `problems`: what must still be repaired. */
export type BoundModel = AddedModel & Findings & { bindings: readonly ParameterBinding[] };

/**
 * Sets targets of a model's routes from sources, all or none, in its newest version, which makes the next draft. An
 * operator uses it for the inputs that an import guessed wrong or did not find. Targets that belong together, such as a
 * width and a height, must be set in one call. Changes that a target made to its value are dropped. A node without a
 * name in the manifest is named by its id: `6.text`. `base`: the version that the caller looked at.
 * @throws ModelRefused also if the bindings themselves are wrong; ModelChanged if there is a newer version than
 *   `base`
 */
export async function bindParameters(
  database: Database,
  { id, base, bindings: asked }: { id: string; base?: number; bindings: readonly ParameterBinding[] },
  { actor, findingsOf }: { actor: AdminActor; findingsOf: FindingsOf },
): Promise<BoundModel> {
  // A single read: between two reads another version may be added, and the draft would build on it unseen.
  const { newest } = await versionsOf(database, id);
  if (base !== undefined && newest.version !== base) throw modelChanged(id, newest.version);
  const targets = asked.map(({ target }) => nameTarget(newest.manifest.routes, newest.files, target));
  const bindings = asked.map(({ source }, at) => ({ target: targets[at]?.target ?? '', source }));
  const twice = bindings.find(({ target }, at) => bindings.findIndex((one) => one.target === target) !== at);
  if (twice !== undefined)
    throw new ModelRefused([
      { code: 'type_mismatch', message: `${twice.target} is set twice: name each input once.` },
    ]);
  const names = targets.flatMap(({ target, node }) =>
    node === undefined ? [] : [{ path: nodePath(node.route, target), value: node.value }],
  );
  const sets = targets.flatMap(({ target, node }, at) =>
    setPaths(newest.manifest.routes, target, node?.route).map((path) => ({
      path,
      value: bindingOf(asked[at]?.source ?? ''),
    })),
  );
  const nowhere = targets.findIndex(({ target }) => !sets.some(({ path }) => path.at(-1) === target));
  if (nowhere !== -1)
    throw new ModelRefused([
      { code: 'node_missing', message: `No route of ${id} has a target ${asked[nowhere]?.target}.` },
    ]);
  const edited = { source: editSource(newest.source, [...names, ...sets]), files: newest.files };
  const before = new Set((await findingsOf(newest)).problems.map(wordsOf));
  const { model } = readModelTexts(edited.source, edited.files);
  const { problems, warnings } = await findingsOf(edited);
  const caused = problems.filter((problem) => !before.has(wordsOf(problem)));
  if (model === undefined || caused.length > 0) throw new ModelRefused(caused);
  const added = await addDraft(database, basedOn(newest, model), actor, { newest: newest.version });
  return { ...added, bindings, problems, warnings };
}

type Path = readonly (string | number)[];

function nodePath(route: number, target: string): Path {
  return ['routes', route, 'nodes', splitTarget(target)[0]];
}

/** Returns the paths at which a manifest sets a target: in each route that knows its node, or that already sets it. */
function setPaths(routes: readonly Route[], target: string, namedIn: number | undefined): Path[] {
  const [name] = splitTarget(target);
  return routes.flatMap(({ nodes, set }, at) =>
    nodes?.[name] === undefined && set[target] === undefined && namedIn !== at
      ? []
      : [['routes', at, 'set', target]],
  );
}

type NewName = { route: number; value: { id: string; class: string } };

/**
 * Returns a target by its name in the manifest. A node that is given by its id and has no name there gets a new name.
 */
function nameTarget(
  routes: readonly Route[],
  files: ModelTexts['files'],
  target: string,
): { target: string; node?: NewName } {
  const [id, input] = splitTarget(target);
  for (const [route, { nodes = {}, workflow }] of routes.entries()) {
    if (nodes[id] !== undefined || workflow === undefined) continue;
    const [known] = Object.entries(nodes).find(([, node]) => node.id === id) ?? [];
    if (known !== undefined) return { target: `${known}.${input}` };
    const found = readWorkflow(files[workflow] ?? '')?.get(id);
    if (found === undefined) continue;
    const name = `node_${id.replaceAll(/[^a-z0-9]+/gi, '_')}`;
    return { target: `${name}.${input}`, node: { route, value: { id, class: found.className } } };
  }
  return { target };
}

function wordsOf({ code, message }: Problem): string {
  return `${code} ${message}`;
}

function bindingOf(source: string): JsonValue {
  return source === 'prompt' ? { text: '{prompt}, {styles}' } : { from: source };
}
