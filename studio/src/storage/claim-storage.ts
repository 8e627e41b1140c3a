import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { ownerFile, readOwner } from '@renderkit/blob-storage/claim-disk.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import type { MediaLocation } from '@renderkit/blob-storage/open-storage.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { pagesOfNames } from './find-unnamed.ts';

/** A younger file may not have its row yet: a process that stores a file writes the row within this time. */
const minAgeMs = 60 * 60_000;

/**
 * Claims the storage for this studio. Throws when another studio owns the storage. `blob-storage/src/claim-disk.ts` and
 * `blob-storage/src/s3/claim-bucket.ts` record the owner. @throws ConfigError
 */
export async function claimStorage(
  storage: BlobStorage,
  studioId: string,
  location: MediaLocation & { databaseUrl: string },
): Promise<void> {
  const { dataDirectory, s3, databaseUrl } = location;
  const directory = mediaDirectory(dataDirectory);
  // Earlier versions wrote no owner on a disk. In a bucket without an owner, somebody has removed the owner on purpose.
  if (
    s3 === undefined &&
    (await readOwner(directory)) === undefined &&
    !(await mayTake(storage, databaseUrl))
  )
    throw new ConfigError(
      `The media in ${directory} are of another database: the studio's names none of them. ${wayOut(directory, studioId)}`,
    );
  const owner = await storage.claim(studioId);
  if (owner === studioId) return;
  throw new ConfigError(
    s3 === undefined
      ? `The media in ${directory} belong to another studio (${owner}), whose database is another one. ${wayOut(directory, studioId)}`
      : `The bucket ${s3.bucket} belongs to another studio (${owner}): set S3_BUCKET to one of its own, or remove the object renderkit-studio if that studio is gone for good.`,
  );
}

/** Returns how an operator can solve this. The studio would remove every file that its database does not name. */
function wayOut(directory: string, studioId: string): string {
  return (
    'Set STUDIO_DATABASE_URL to the database that they belong to (it may have been left out), or DATA_DIR to a directory of its own. ' +
    `To give them to this database for good, write ${studioId} into ${ownerFile(directory)}: those that it does not name are removed then.`
  );
}

/**
 * Returns whether media without an owner can belong to this database: the database names some of them, or there are no
 * older files to lose.
 */
async function mayTake(storage: BlobStorage, databaseUrl: string): Promise<boolean> {
  if (!(await hasOlder(storage, new Date(Date.now() - minAgeMs)))) return true;
  await using database = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'media' });
  for await (const { rows } of pagesOfNames(database))
    for (const { names } of rows)
      for (const name of names) if ((await storage.open(name)) !== undefined) return true;
  return false;
}

async function hasOlder(storage: BlobStorage, time: Date): Promise<boolean> {
  for await (const page of storage.list()) if (page.some(({ storedAt }) => storedAt < time)) return true;
  return false;
}
