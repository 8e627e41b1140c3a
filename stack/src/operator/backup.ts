import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { listHashes } from '@renderkit/blob-storage/list-hashes.ts';
import { requireLocation } from '@renderkit/studio/storage/media-location.ts';
import { openCheckedStorage } from '@renderkit/blob-storage/open-storage.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { StackError } from '../stack-error.ts';
import { command, type Command, done, givenPath } from './command.ts';
import { required, text } from './option.ts';

export const backupCommands: Command[] = [
  command({
    words: 'backup',
    about:
      'Writes database, media and keys to one file, while the stack runs or not. The file holds secrets.',
    options: { to: required(text('F')) },
    run: async ({ open, config }, values) => {
      const { embedded, environments, studio } = await open();
      if (embedded === undefined) throw externalOnly('Back them up');
      const file = givenPath(config, values.to);
      const location = readWorkerConfig(environments.worker);
      // With another location, the backup would find no media.
      await requireLocation(studio, location);
      await using storage = await openCheckedStorage(location);
      const { dataDirectory, s3 } = location;
      const bucket = s3 && { name: s3.bucket, blobs: listHashes(storage) };
      const { bytes, mediaFiles } = await makeBackup({
        cluster: embedded,
        dataDirectory,
        file,
        ...(bucket && { bucket }),
      });
      const data = { file, bytes, media_files: mediaFiles };
      const saved = `Saved ${file} (${(bytes / 1024 / 1024).toFixed(1)} MB, media files: ${mediaFiles}).`;
      return bucket === undefined
        ? done(data, saved)
        : done({ ...data, bucket: bucket.name }, `${saved} ${bytesElsewhere(bucket.name)}`);
    },
  }),
  command({
    words: 'restore',
    about: 'Restores a backup into an empty DATA_DIR.',
    options: { from: required(text('F')) },
    run: async ({ config }, values) => {
      if (config.external !== undefined) throw externalOnly('Restore them');
      const file = givenPath(config, values.from);
      const { made_at, bucket } = await restoreBackup(config, file);
      const restored = `Restored the backup of ${made_at} into ${config.dataDirectory}.`;
      return bucket === undefined
        ? done({ file, made_at }, restored)
        : done(
            { file, made_at, bucket },
            `${restored} ${bytesElsewhere(bucket)} Start with MEDIA_STORE=s3; media check tells what is missing there.`,
          );
    },
  }),
];

function bytesElsewhere(bucket: string): string {
  return `The media lie in the bucket ${bucket}: the backup holds their keys and SHA-256, and no bytes of them.`;
}

function externalOnly(verb: 'Back them up' | 'Restore them'): StackError {
  return new StackError(
    `The databases are external. ${verb} with PostgreSQL's own tools (pg_dump and pg_restore, or pg_basebackup), and copy the media under DATA_DIR, or their bucket.`,
  );
}
