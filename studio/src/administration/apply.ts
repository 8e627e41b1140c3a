import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { applyFile, type ApplyResult } from '../catalog/apply-files.ts';
import { PublishError, withCatalog } from '../catalog/publish.ts';
import {
  type CatalogFile,
  findCatalogFiles,
  isBroken,
  isFolder,
  readCatalogFile,
} from '../catalog/read-files.ts';

export type AppliedFile = {
  file: string;
  /** Null where the file could not be read so far. */
  kind: CatalogFile['kind'] | null;
  id: string | null;
  result: ApplyResult | 'refused';
  problems: readonly Problem[];
};

/** The files of the catalog in a folder and in its folder `models`, or the one file that is named. */
export async function findFilesToApply(fileOrFolder: string): Promise<string[]> {
  if (!(await isFolder(fileOrFolder))) return [fileOrFolder];
  const models = path.join(fileOrFolder, 'models');
  return [...(await findCatalogFiles(fileOrFolder)), ...(await findCatalogFiles(models))];
}

/**
 * Publishes what files say, over what is in force, in one transaction: where one of them is refused nothing changes, and
 * the others have the result `kept`. What no file names stays as it is. Without `list` the names of files say what they are.
 */
export async function applyFiles(
  database: Database,
  files: readonly string[],
  list?: 'plans' | 'styles' | 'suggestions',
): Promise<AppliedFile[]> {
  const read = await Promise.all(files.map((file) => readCatalogFile(file, list)));
  const results = new Map<string, AppliedFile>();
  for (const one of read)
    results.set(
      one.file,
      isBroken(one)
        ? { file: one.file, kind: null, id: null, result: 'refused', problems: one.problems }
        : { file: one.file, kind: one.kind, id: one.id, result: 'kept', problems: [] },
    );
  const usable = read.filter((one): one is CatalogFile => !isBroken(one));
  if (usable.length === read.length) await applyAll(database, usable, results);
  return [...results.values()];
}

async function applyAll(
  database: Database,
  files: readonly CatalogFile[],
  results: Map<string, AppliedFile>,
): Promise<void> {
  const applied: AppliedFile[] = [];
  let current: CatalogFile | undefined;
  try {
    await withCatalog(database, async (transaction) => {
      for (const file of files) {
        current = file;
        const result = await applyFile(transaction, file, 'overwrite');
        applied.push({ file: file.file, kind: file.kind, id: file.id, result, problems: [] });
      }
    });
  } catch (error) {
    if (!(error instanceof PublishError) || current === undefined) throw error;
    const { file, kind, id } = current;
    const problems: Problem[] = [{ code: 'choice_unknown', message: error.message }];
    results.set(file, { file, kind, id, result: 'refused', problems });
    return;
  }
  for (const one of applied) results.set(one.file, one);
}
