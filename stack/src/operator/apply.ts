import { type AppliedFile, applyFiles, findFilesToApply } from '@renderkit/studio/administration/apply.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { openMedia } from '@renderkit/studio/storage/open-media.ts';
import type { StackConfig } from '../config.ts';
import { StackError } from '../stack-error.ts';
import { type Answer, type Command, command, givenPath, problemLine } from './command.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { required, text } from './option.ts';

export const applyCommands: Command[] = [
  command({
    words: 'apply',
    about:
      'Publishes a folder of models (NAME.model.yaml), backends.yaml, plans.yaml, styles.yaml and suggestions.yaml, or one such file, over what is in force. All of it or nothing; what no file names stays.',
    options: { file: required(text('FOLDER_OR_FILE')) },
    run: async ({ open, config }, values) => {
      const files = await findFilesToApply(givenPath(config, values.file));
      if (files.length === 0) throw new StackError(`There is nothing to apply in ${values.file}.`);
      const databases = await open();
      return appliedAnswer(await applyFiles(databases.studio, files, applyInputs(databases, config)));
    },
  }),
];

/**
 * Uses the worker's settings, since the worker decrypts what is encrypted here. Files name variables of this command's
 * environment.
 */
export function applyInputs({ studio, environments }: OperatorDatabases, config: StackConfig) {
  const place = readWorkerConfig(environments.worker);
  return {
    secrets: openBackendSecrets(place.secretKey),
    variables: config.environment,
    openMedia: () => openMedia(studio, place),
  };
}

/** Returns the result of each file. The command fails if a file was refused. */
export function appliedAnswer(applied: AppliedFile[]): Answer {
  return {
    data: applied,
    lines: applied.flatMap(({ file, result, problems }) => [
      `${result.padEnd(9)} ${file}`,
      ...problems.map((problem) => `          ${problemLine(problem)}`),
    ]),
    failed: applied.some(({ result }) => result === 'refused'),
  };
}
