import { isDeepStrictEqual } from 'node:util';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import {
  allowMediaPlace,
  keepFirstMediaPlace,
  readMediaPlaces,
  type RecordedPlace,
  writeMediaPlace,
} from '../settings/keep-settings.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import type { MediaPlace } from '@renderkit/blob-storage/open-storage.ts';

/**
 * Makes sure that media are kept where the studio's database says, or are allowed to move to: a part whose variables name another
 * place would store what no other part finds. Where nothing is recorded yet every place will do. @throws ConfigError
 */
export async function requirePlace(database: Database, place: MediaPlace): Promise<void> {
  const { kept, allowed } = await readMediaPlaces(database);
  const here = recordOf(place);
  if (kept === undefined || [kept, allowed].some((one) => isDeepStrictEqual(one, here))) return;
  throw new ConfigError(
    `This studio's media are kept ${kept.store === 'disk' ? 'on a disk' : `in the bucket ${kept.bucket}`}, ` +
      `but the variables of this part name ${place.s3 === undefined ? mediaDirectory(place.dataDirectory) : `the bucket ${place.s3.bucket}`}: ` +
      `set ${kept.store === 'disk' ? 'MEDIA_STORE=disk' : `MEDIA_STORE=s3 and S3_BUCKET=${kept.bucket}`}, as the other parts have it. ` +
      `To move the media, run the operator's command media copy --to ${here.store} first.`,
  );
}

/** Called by a part once the place is its studio's. The first one says where media are kept, and one that moves says it anew. @throws ConfigError */
export async function recordPlace(database: Database, place: MediaPlace): Promise<void> {
  const here = recordOf(place);
  await keepFirstMediaPlace(database, here);
  // Of two that come first at one moment with different places, one is too late.
  await requirePlace(database, place);
  const { kept } = await readMediaPlaces(database);
  if (!isDeepStrictEqual(kept, here)) await writeMediaPlace(database, here);
}

/** Lets parts start with media in this place, beside the one where they are kept now; the first that does moves them there. */
export async function allowPlace(database: Database, place: MediaPlace): Promise<void> {
  await allowMediaPlace(database, recordOf(place));
}

function recordOf({ s3 }: MediaPlace): RecordedPlace {
  return s3 === undefined ? { store: 'disk' } : { store: 's3', bucket: s3.bucket };
}
