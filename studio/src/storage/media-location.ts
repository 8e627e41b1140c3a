import { isDeepStrictEqual } from 'node:util';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import {
  allowMediaLocation,
  storeFirstMediaLocation,
  readMediaLocations,
  type RecordedLocation,
  writeMediaLocation,
} from '../settings/keep-settings.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import type { MediaLocation } from '@renderkit/blob-storage/open-storage.ts';

/**
 * Makes sure that media are kept where the studio's database says, or are allowed to move to: a part whose variables name another
 * location would store what no other part finds. Where nothing is recorded yet every location will do. @throws ConfigError
 */
export async function requireLocation(database: Database, location: MediaLocation): Promise<void> {
  const { kept, allowed } = await readMediaLocations(database);
  const here = recordOf(location);
  if (kept === undefined || [kept, allowed].some((one) => isDeepStrictEqual(one, here))) return;
  throw new ConfigError(
    `This studio's media are kept ${kept.store === 'disk' ? 'on a disk' : `in the bucket ${kept.bucket}`}, ` +
      `but the variables of this part name ${location.s3 === undefined ? mediaDirectory(location.dataDirectory) : `the bucket ${location.s3.bucket}`}: ` +
      `set ${kept.store === 'disk' ? 'MEDIA_STORE=disk' : `MEDIA_STORE=s3 and S3_BUCKET=${kept.bucket}`}, as the other parts have it. ` +
      `To move the media, run the operator's command media copy --to ${here.store} first.`,
  );
}

/** Called by a part once the location is its studio's. The first one says where media are kept, and one that moves says it anew. @throws ConfigError */
export async function recordLocation(database: Database, location: MediaLocation): Promise<void> {
  const here = recordOf(location);
  await storeFirstMediaLocation(database, here);
  // Of two that come first at one moment with different locations, one is too late.
  await requireLocation(database, location);
  const { kept } = await readMediaLocations(database);
  if (!isDeepStrictEqual(kept, here)) await writeMediaLocation(database, here);
}

/** Lets parts start with media in this location, beside the one where they are kept now; the first that does moves them there. */
export async function allowLocation(database: Database, location: MediaLocation): Promise<void> {
  await allowMediaLocation(database, recordOf(location));
}

function recordOf({ s3 }: MediaLocation): RecordedLocation {
  return s3 === undefined ? { store: 'disk' } : { store: 's3', bucket: s3.bucket };
}
