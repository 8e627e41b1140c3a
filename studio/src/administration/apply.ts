import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { applyBackends, type ApplyBackendsDependencies } from '../backends/apply-backends.ts';
import { BackendError } from '../backends/backend.ts';
import {
  type BackendsFile,
  findBackendsFiles,
  isBackendsFile,
  readBackendsAt,
} from '../backends/read-backends-file.ts';
import { applyFile, type ApplyResult } from '../catalog/apply-files.ts';
import { PublishError, withCatalog } from '../catalog/publish.ts';
import {
  type BrokenFile,
  type CatalogFile,
  findCatalogFiles,
  isBroken,
  isFolder,
  readCatalogFile,
} from '../catalog/read-files.ts';
import { storeImage } from '../catalog/thumbnails.ts';
import type { MediaStore } from '../storage/open-media.ts';

export type AppliedFile = {
  file: string;
  /** `null` if the file could not be read at all. */
  kind: CatalogFile['kind'] | 'backends' | null;
  id: string | null;
  result: ApplyResult | 'refused';
  problems: readonly Problem[];
};

/** Includes files of backends, which are not part of the catalog. */
type ReadFile = CatalogFile | { file: string; kind: 'backends'; id: 'backends'; content: BackendsFile };

/** `list`: the kind of all files, whatever their names. The rest is what backends need. */
export type ApplyOptions = Pick<ApplyBackendsDependencies, 'secrets' | 'variables'> & {
  list?: 'plans' | 'styles' | 'suggestions';
  openMedia: () => Promise<MediaStore>;
};

/**
 * Returns the files of the catalog and of backends in a folder and in its folder `models`, or the single file itself.
 */
export async function findFilesToApply(fileOrFolder: string): Promise<string[]> {
  if (!(await isFolder(fileOrFolder))) return [fileOrFolder];
  const models = path.join(fileOrFolder, 'models');
  return [
    ...(await findBackendsFiles(fileOrFolder)),
    ...(await findCatalogFiles(fileOrFolder)),
    ...(await findCatalogFiles(models)),
  ];
}

/**
 * Publishes the content of files in one transaction, replacing what is in force. If one of the files is refused nothing
 * changes, and the others have the result `kept`. What no file names stays. Without `list` the names of the files
 * decide what they are. At a start, `studio/src/catalog/data-files.ts` and `studio/src/backends/apply-backends.ts`
 * apply the files.
 */
export async function applyFiles(
  database: Database,
  files: readonly string[],
  { list, openMedia, ...backends }: ApplyOptions,
): Promise<AppliedFile[]> {
  const read = await Promise.all(
    files.map((file) =>
      list === undefined && isBackendsFile(file)
        ? readBackends(file)
        : readCatalogFile(file, list).then((one) => withImage(one, openMedia)),
    ),
  );
  const results = new Map<string, AppliedFile>();
  for (const one of read)
    results.set(
      one.file,
      'problems' in one
        ? { file: one.file, kind: null, id: null, result: 'refused', problems: one.problems }
        : { file: one.file, kind: one.kind, id: one.id, result: 'kept', problems: [] },
    );
  const usable = read.filter((one): one is ReadFile => !('problems' in one));
  if (usable.length === read.length) await applyAll(database, usable, results, backends);
  return [...results.values()];
}

async function withImage(
  read: CatalogFile | BrokenFile,
  openMedia: () => Promise<MediaStore>,
): Promise<CatalogFile | BrokenFile> {
  try {
    return isBroken(read) ? read : await storeImage(read, openMedia);
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    return { file: read.file, problems: [{ code: 'choice_unknown', message: error.message }] };
  }
}

async function readBackends(file: string): Promise<ReadFile | BrokenFile> {
  const { content, problems } = await readBackendsAt(file);
  return content === undefined ? { file, problems } : { file, kind: 'backends', id: 'backends', content };
}

async function applyAll(
  database: Database,
  files: readonly ReadFile[],
  results: Map<string, AppliedFile>,
  backends: Omit<ApplyOptions, 'list' | 'openMedia'>,
): Promise<void> {
  const applied: AppliedFile[] = [];
  let current: ReadFile | undefined;
  try {
    await withCatalog(database, async (transaction) => {
      for (const file of files) {
        current = file;
        const result =
          file.kind === 'backends'
            ? (await applyBackends(transaction, file.content, { ...backends, mode: 'overwrite' })).result
            : await applyFile(transaction, file, 'overwrite');
        applied.push({ file: file.file, kind: file.kind, id: file.id, result, problems: [] });
      }
    });
  } catch (error) {
    const isRefusal = error instanceof PublishError || error instanceof BackendError;
    if (!isRefusal || current === undefined) throw error;
    const { file, kind, id } = current;
    const problems: Problem[] = [{ code: 'choice_unknown', message: error.message }];
    results.set(file, { file, kind, id, result: 'refused', problems });
    return;
  }
  for (const one of applied) results.set(one.file, one);
}
