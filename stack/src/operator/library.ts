import { readWorkerConfig } from '@renderkit/studio/config.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { type Command, command, givenPath } from './command.ts';
import { email, required, text } from './option.ts';

/** `studio/src/library/add-item.ts` decides which files are accepted. */
export const libraryCommands: Command[] = [
  command({
    words: 'library add',
    about: "Adds a picture or a video to an account's library, as if it had been generated outside the API.",
    options: { email: required(email), file: required(text('F')), project: text('ID'), prompt: text('P') },
    run: async ({ open, config }, values) => {
      const { studio: database, environments } = await open();
      const { dataDirectory, s3 } = readWorkerConfig(environments.worker);
      const item = await studio.addLibraryItem(database, {
        email: values.email,
        dataDirectory,
        s3,
        file: givenPath(config, values.file),
        ...(values.project !== undefined && { project: values.project }),
        ...(values.prompt !== undefined && { prompt: values.prompt }),
      });
      const { id, type, width, height, duration, project_id } = item;
      return {
        data: { email: values.email, id, type, width, height, duration, project_id },
        lines: [`${id}  ${type}  ${width}×${height}${duration === null ? '' : `  ${duration} s`}`],
      };
    },
  }),
];
