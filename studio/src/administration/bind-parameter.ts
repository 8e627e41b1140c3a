import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import { readModelTexts } from '../catalog/read-files.ts';
import { readWorkflow, splitTarget } from '../manifests/workflow-file.ts';
import { addDraft, type AddedModel } from './add-model.ts';
import { editSource } from './edit-source.ts';
import { ModelRefused, type ModelTexts, type ProblemsOf, versionsOf, withThumbnailOf } from './models.ts';

/** `problems`: what still has to be mended. */
export type BoundModel = AddedModel & { target: string; problems: readonly Problem[] };

/**
 * Sets a target of a model's routes from a source, in its newest version, which makes the next draft: for the one line that
 * an import guessed wrong, or did not find. The target's own changes of the value go. A node that the manifest has no name
 * for is named by its id: `6.text`. @throws ModelRefused also where the binding itself is wrong
 */
export async function bindParameter(
  database: Database,
  { id, target: asked, source }: { id: string; target: string; source: string },
  { actor, problemsOf }: { actor: AdminActor; problemsOf: ProblemsOf },
): Promise<BoundModel> {
  const { newest } = await versionsOf(database, id);
  const { target, node } = nameTarget(newest.manifest.routes, newest.files, asked);
  const [name] = splitTarget(target);
  const changes = newest.manifest.routes.flatMap(({ nodes, set }, at) =>
    nodes?.[name] === undefined && set[target] === undefined && node?.route !== at
      ? []
      : [{ path: ['routes', at, 'set', target], value: bindingOf(source) }],
  );
  if (changes.length === 0)
    throw new ModelRefused([{ code: 'node_missing', message: `No route of ${id} has a target ${asked}.` }]);
  if (node !== undefined)
    changes.unshift({
      path: ['routes', node.route, 'nodes', name],
      value: { id: node.id, class: node.className },
    });
  const edited = { source: editSource(newest.source, changes), files: newest.files };
  const before = new Set((await problemsOf(newest)).map(wordsOf));
  const { model } = readModelTexts(edited.source, edited.files);
  const problems = await problemsOf(edited);
  const caused = problems.filter((problem) => !before.has(wordsOf(problem)));
  if (model === undefined || caused.length > 0) throw new ModelRefused(caused);
  return { ...(await addDraft(database, withThumbnailOf(newest, model), actor)), target, problems };
}

type NewName = { route: number; id: string; className: string };

/** A target by its name in the manifest; by the id of a node that has none there it gets one. */
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
    return { target: `${name}.${input}`, node: { route, id, className: found.className } };
  }
  return { target };
}

function wordsOf({ code, message }: Problem): string {
  return `${code} ${message}`;
}

function bindingOf(source: string): JsonValue {
  return source === 'prompt' ? { text: '{prompt}, {styles}' } : { from: source };
}
