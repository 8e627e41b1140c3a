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
 * Throws unless the location is where the studio's database says that media are kept, or where they may move. With
 * another location, a part would store files that no other part finds. Any location is valid before the first is
 * recorded. @throws ConfigError
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

/**
 * Records the location after a part has claimed it. The first part records where media are kept; a part that moves the
 * media records the new location. @throws ConfigError
 */
export async function recordLocation(database: Database, location: MediaLocation): Promise<void> {
  const here = recordOf(location);
  await storeFirstMediaLocation(database, here);
  // When two parts first record different locations at the same moment, the second part throws here.
  await requireLocation(database, location);
  const { kept } = await readMediaLocations(database);
  if (!isDeepStrictEqual(kept, here)) await writeMediaLocation(database, here);
}

/**
 * Lets parts start with this location in addition to the current one. The first part that does so moves the media
 * there. Called by the commands `media copy` and `media place` (`stack/src/operator/media.ts`).
 */
export async function allowLocation(database: Database, location: MediaLocation): Promise<void> {
  await allowMediaLocation(database, recordOf(location));
}

function recordOf({ s3 }: MediaLocation): RecordedLocation {
  return s3 === undefined ? { store: 'disk' } : { store: 's3', bucket: s3.bucket };
}
