import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { readBucketOf, readMediaGrace, readWorkerConfig } from '@renderkit/studio/config.ts';
import { checkMedia } from '@renderkit/studio/storage/check-media.ts';
import { copyMedia, type MediaCopy } from '@renderkit/blob-storage/copy-media.ts';
import { allowLocation } from '@renderkit/studio/storage/media-location.ts';
import { openOwnStorage } from '@renderkit/studio/storage/open-media.ts';
import { type MediaLocation, openCheckedStorage } from '@renderkit/blob-storage/open-storage.ts';
import { command, type Command, done } from './command.ts';
import { choice, required } from './option.ts';

const sayEveryMs = 10_000;

export const mediaCommands: Command[] = [
  command({
    words: 'media check',
    about: 'Compares the rows that name media with the bytes that are there, while the stack runs or not.',
    options: {},
    run: async ({ open }) => {
      const { studio, environments } = await open();
      await using storage = await openCheckedStorage(readWorkerConfig(environments.worker));
      const graceSeconds = readMediaGrace(environments.worker);
      const result = await checkMedia(studio, storage, { graceSeconds });
      const { rows_without_bytes: rows, bytes_without_rows: bytes, checked } = result;
      return {
        data: result,
        lines: [
          ...rows.map((key) => `no bytes  ${key}`),
          ...bytes.map((key) => `no row    ${key}`),
          `Looked at ${checked} keys: ${rows.length} without bytes, ${bytes.length} without a row.`,
        ],
        // Bytes without a row only cost space, and the studio removes them in time.
        failed: rows.length > 0,
      };
    },
  }),
  command({
    words: 'media copy',
    about:
      'Copies all media from DATA_DIR to the bucket that S3_ENDPOINT and its sisters name, or back, while the stack runs or not.',
    options: { to: required(choice(['s3', 'disk'])) },
    run: async ({ open, progress }, { to }) => {
      const { studio, environments } = await open();
      const from = locationOf(to === 's3' ? 'disk' : 's3', environments.worker);
      const location = locationOf(to, environments.worker);
      // Opening claims both locations. In a location of another studio, the copies would be removed, because its
      // database does not name them.
      await using source = await openOwnStorage(studio, from);
      await using target = await openOwnStorage(studio, location);
      let said = performance.now();
      const onPage = ({ copied, files }: MediaCopy) => {
        if (performance.now() - said < sayEveryMs) return;
        said = performance.now();
        progress(`${files} files are there, ${copied} of them copied now`);
      };
      const result = await copyMedia(source, target, { onPage });
      await allowLocation(studio, location);
      const { copied, bytes, files } = result;
      return {
        data: result,
        lines: [
          `Copied ${copied} files (${(bytes / 1024 / 1024).toFixed(1)} MB); all ${files} are there.`,
          `Now start studio and workers with MEDIA_STORE=${to}, then copy once more what came meanwhile.`,
        ],
      };
    },
  }),
  command({
    words: 'media place',
    about:
      'Lets studio and workers start with media in the bucket, or on the disk, and copies none: for what was brought there by other means.',
    options: { to: required(choice(['s3', 'disk'])) },
    run: async ({ open }, { to }) => {
      const { studio, environments } = await open();
      const location = locationOf(to, environments.worker);
      await using _ = await openOwnStorage(studio, location);
      await allowLocation(studio, location);
      return done({ to }, `Now studio and workers may start with MEDIA_STORE=${to}.`);
    },
  }),
];

/**
 * Returns the location for a store. `s3` is the bucket that the environment names, whether media are kept in it yet or
 * not.
 */
function locationOf(store: 'disk' | 's3', environment: Environment): MediaLocation {
  const { dataDirectory } = readWorkerConfig(environment);
  return { dataDirectory, s3: store === 's3' ? readBucketOf(environment) : undefined };
}
