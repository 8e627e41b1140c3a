import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import {
  addVersion,
  digestOf,
  digestOfModel,
  type ModelFiles,
  publishList,
  publishModel,
} from './publish.ts';
import type { CatalogFile } from './read-files.ts';
import type { CatalogLists } from './snapshot.ts';
import {
  findModelRow,
  findPublishedList,
  findVersionByDigest,
  updateListFile,
  updateModelFile,
} from './store.ts';

/**
 * The result of applying a file. `applied`: in force now. `unchanged`: it was applied before. `kept`: what is in force
 * was changed since by other means, and only `overwrite` may replace it.
 */
export type ApplyResult = 'applied' | 'unchanged' | 'kept';

/**
 * How a file is applied. At a start (`file`, `product`) the file counts if it differs from the one applied last and
 * nobody changed what is in force since. An operator's `overwrite` always counts, and is itself such a change.
 */
export type ApplyMode = 'file' | 'product' | 'overwrite';

const actors = { file: 'file', product: 'product', overwrite: 'operator' } as const satisfies Record<
  ApplyMode,
  AdminActor
>;

/**
 * Publishes the content of a file, in a transaction of `withCatalog`. `applyFiles` in
 * `studio/src/administration/apply.ts` applies an operator's folder: all of its files or none.
 * @throws PublishError
 */
export function applyFile(
  transaction: Transaction,
  file: CatalogFile,
  mode: ApplyMode,
): Promise<ApplyResult> {
  return file.kind === 'model'
    ? applyModel(transaction, file.model, mode)
    : applyList(transaction, file.kind, file.content, mode);
}

/** Publishes a model from its files, in a transaction of `withCatalog`. @throws PublishError */
async function applyModel(
  transaction: Transaction,
  model: ModelFiles,
  mode: ApplyMode,
): Promise<ApplyResult> {
  const { id } = model.manifest;
  const digest = digestOfModel(model);
  const row = await findModelRow(transaction, id);
  const before = row?.published_version ?? null;
  const known = await findVersionByDigest(transaction, id, digest);
  const result = resultOf(row && { ...row, version: before }, { digest, inForce: known === before, mode });
  if (result !== 'applied') return result;
  const { version } = await addVersion(transaction, model, actors[mode]);
  await publishModel(transaction, id, version, actors[mode]);
  if (isRemembered(row, digest, mode))
    await updateModelFile(transaction, id, {
      digest,
      version,
      builtIn: mode === 'product' || (mode === 'overwrite' && row?.built_in === true),
    });
  return version === before ? 'unchanged' : 'applied';
}

/** Publishes a list from its file, in a transaction of `withCatalog`. @throws PublishError */
async function applyList<Name extends keyof CatalogLists>(
  transaction: Transaction,
  name: Name,
  content: CatalogLists[Name],
  mode: ApplyMode,
): Promise<ApplyResult> {
  const digest = digestOf(content);
  const row = await findPublishedList(transaction, name);
  const result = resultOf(row, { digest, inForce: row?.digest === digest, mode });
  if (result !== 'applied') return result;
  const { version, changed } = await publishList(transaction, name, content, actors[mode]);
  if (isRemembered(row, digest, mode))
    await updateListFile(transaction, name, {
      digest,
      version,
      builtIn: mode === 'product' || (mode === 'overwrite' && row?.built_in === true),
    });
  return changed ? 'applied' : 'unchanged';
}

type FileFacts = { file_digest: string | null; file_version: number | null; built_in: boolean };

/**
 * Decides the result of a file from the facts of the one that was applied last. `row.version` is the version in force.
 */
function resultOf(
  row: (FileFacts & { version: number | null }) | undefined,
  file: { digest: string; inForce: boolean; mode: ApplyMode },
): ApplyResult {
  if (row === undefined || file.mode === 'overwrite') return 'applied';
  // The operator's own content has replaced the product's.
  if (file.mode === 'product' && !row.built_in) return 'unchanged';
  if (row.file_digest === file.digest) return 'unchanged';
  return row.version === row.file_version || file.inForce ? 'applied' : 'kept';
}

/**
 * Returns whether this file becomes the last applied one. A file that an operator passes by hand does not, unless it
 * has the same content.
 */
function isRemembered(row: FileFacts | undefined, digest: string, mode: ApplyMode): boolean {
  return mode !== 'overwrite' || row?.file_digest === digest;
}
