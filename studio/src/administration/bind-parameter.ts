import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import { splitTarget } from '../manifests/workflow-file.ts';
import { editSource } from './edit-source.ts';
import { addModel, type AddedModel, ModelRefused, versionsOf } from './models.ts';

/**
 * Sets a target of a model's routes from a source, in its newest version, which makes the next draft: for the one line that
 * an import guessed wrong. The target's own changes of the value go. @throws ModelRefused
 */
export async function bindParameter(
  database: Database,
  { id, target, source }: { id: string; target: string; source: string },
  actor: AdminActor,
): Promise<AddedModel> {
  const { newest } = await versionsOf(database, id);
  const [node] = splitTarget(target);
  const changes = newest.manifest.routes.flatMap(({ nodes, set }, at) =>
    nodes?.[node] === undefined && set[target] === undefined
      ? []
      : [{ path: ['routes', at, 'set', target], value: bindingOf(source) }],
  );
  if (changes.length === 0)
    throw new ModelRefused([{ code: 'node_missing', message: `No route of ${id} has a target ${target}.` }]);
  const edited = { source: editSource(newest.source, changes), files: newest.files };
  return addModel(database, edited, { actor, publish: false });
}

function bindingOf(source: string): JsonValue {
  return source === 'prompt' ? { text: '{prompt}, {styles}' } : { from: source };
}
