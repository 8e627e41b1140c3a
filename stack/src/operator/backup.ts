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
      const { embedded } = await open();
      if (embedded === undefined) throw externalOnly('Back them up');
      const file = givenPath(config, values.to);
      const { bytes } = await makeBackup({ cluster: embedded, dataDirectory: config.dataDirectory, file });
      return done({ file, bytes }, `Saved ${file} (${(bytes / 1024 / 1024).toFixed(1)} MB).`);
    },
  }),
  command({
    words: 'restore',
    about: 'Restores a backup into an empty DATA_DIR.',
    options: { from: required(text('F')) },
    run: async ({ config }, values) => {
      if (config.external !== undefined) throw externalOnly('Restore them');
      const file = givenPath(config, values.from);
      const { made_at } = await restoreBackup(config, file);
      return done({ file, made_at }, `Restored the backup of ${made_at} into ${config.dataDirectory}.`);
    },
  }),
];

function externalOnly(verb: 'Back them up' | 'Restore them'): StackError {
  return new StackError(
    `The databases are external. ${verb} with PostgreSQL's own tools (pg_dump and pg_restore, or pg_basebackup), and copy the media under DATA_DIR.`,
  );
}
