// Stores pictures as a worker stores its renders, on the disk or in a bucket, in a separate process.

import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { storeOutput } from '@renderkit/studio/renders/store-output.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import type { S3Config } from '@renderkit/blob-storage/s3/s3-config.ts';
import { serveParent } from '../child.ts';

export type StorePictures = { count: number; bytes: number };
export type StoredPictures = { megabytes: number };

const thumbnailBytes = 30_000;

await serveParent(async ({ directory, s3 }: { directory: string; s3?: S3Config }) => {
  await mkdir(directory, { recursive: true });
  const storage = await openStorage({ dataDirectory: directory, s3 });
  const mediaKey = createSecretKey(randomBytes(32));
  let renders = 0;
  return async ({ count, bytes }: StorePictures): Promise<StoredPictures> => {
    const picture = randomBytes(bytes);
    const thumbnail = {
      contentType: 'image/webp' as const,
      bytes: randomBytes(thumbnailBytes),
      width: 320,
      height: 320,
    };
    for (let n = 0; n < count; n++)
      await storeOutput(
        { id: `rnd_${++renders}`, attempt: 1 },
        {
          index: 0,
          contentType: 'image/png',
          bytes: picture,
          width: 1024,
          height: 1024,
          nsfw: false,
          thumbnail,
        },
        { nsfw: false, seed: 1 },
        { storage, mediaKey },
      );
    return { megabytes: (count * (bytes + thumbnailBytes)) / 1e6 };
  };
});
