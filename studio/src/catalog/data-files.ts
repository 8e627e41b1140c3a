import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { noteDataFiles, wereDataFilesApplied } from '../settings/keep-settings.ts';
import { openMedia } from '../storage/open-media.ts';
import type { MediaLocation } from '@renderkit/blob-storage/open-storage.ts';
import { applyFile } from './apply-files.ts';
import { PublishError, withCatalog } from './publish.ts';
import {
  type BrokenFile,
  type CatalogFile,
  findCatalogFiles,
  isBroken,
  readCatalogFile,
} from './read-files.ts';
import { storeImage } from './thumbnails.ts';

/** Each line is about a file. */
export type DataFilesLog = Record<
  'info' | 'warn' | 'error',
  (details: { file: string; problems?: readonly Problem[] }, message: string) => void
>;

/**
 * Publishes the files that an operator has put into the data directory: `models/*.model.yaml`, and `plans.yaml`,
 * `styles.yaml` and `suggestions.yaml` next to that folder. A file counts if it differs from the one that was applied
 * last. What was changed since by other means is kept, and logged. A broken file leaves in force what is in force.
 * @throws ConfigError for a broken file at the first start on this database
 */
export async function applyDataFiles(
  database: Database,
  location: MediaLocation,
  log: DataFilesLog,
): Promise<void> {
  const { dataDirectory } = location;
  const files = [
    ...(await findCatalogFiles(dataDirectory)),
    ...(await findCatalogFiles(path.join(dataDirectory, 'models'))),
  ];
  const isFirst = !(await wereDataFilesApplied(database));
  for (const file of files) {
    const read = await readCatalogFile(file);
    const broken = isBroken(read) ? read : await apply(database, read, { location, log });
    if (broken === undefined) continue;
    if (isFirst) throw new ConfigError(sentenceFor(broken));
    log.error(
      { file, problems: broken.problems },
      'a file of the catalog cannot be used: what it said before stays in force',
    );
  }
  if (isFirst) await noteDataFiles(database);
}

/** Returns the file if it cannot be published. */
async function apply(
  database: Database,
  read: CatalogFile,
  { location, log }: { location: MediaLocation; log: DataFilesLog },
): Promise<BrokenFile | undefined> {
  try {
    const file = await storeImage(read, () => openMedia(database, location));
    const result = await withCatalog(database, (transaction) => applyFile(transaction, file, 'file'));
    if (result === 'applied') log.info({ file: file.file }, 'a file of the catalog is published');
    if (result === 'kept')
      log.warn(
        { file: file.file },
        'a file of the catalog has changed, but what it says was changed by other means since: `apply` puts it in force',
      );
    return undefined;
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    return { file: read.file, problems: [{ code: 'choice_unknown', message: error.message }] };
  }
}

function sentenceFor({ file, problems }: BrokenFile): string {
  const [first] = problems;
  const line = first?.line === undefined ? '' : `line ${first.line}: `;
  const rest = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  return `${file} cannot be used (${line}${first?.message.replace(/\.$/, '')}${rest}): mend it or take it away.`;
}
