import type { Upload } from 'renderkit';
import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { fileOf, idsOf } from '../inputs.ts';
import type { Session } from '../session.ts';

export const upload = command({
  usage: 'FILE|URL…',
  about: 'Sends files, or has addresses fetched, and waits until they are checked.',
  options: {
    project: { form: 'ID', about: 'the project that they belong to' },
    'no-wait': { about: 'do not wait for the checks' },
  },
  run: async (session, words, values) => {
    if (words.length === 0) throw new UsageError('Name a file or an https address.');
    for (const word of words) {
      const file = /^https?:/.test(word) ? { url: word } : await fileOf(word.replace(/^@/, ''));
      session.output.progress(`sending ${word}`);
      const { id } = await session.client.uploads.create(file, { projectId: values.project });
      const ready =
        values['no-wait'] === true ? session.client.uploads.retrieve(id) : session.client.uploads.wait(id);
      showOne(session, await ready);
    }
  },
});

export const show = command({
  usage: 'ID…|-',
  about: 'Shows uploads and how far their checks are.',
  options: {},
  run: async (session, words) => {
    for (const id of await idsOf(words, 'the uploads'))
      showOne(session, await session.client.uploads.retrieve(id));
  },
});

export const remove = command({
  usage: 'ID…|-',
  about: 'Deletes uploads and gives their bytes back.',
  options: {},
  run: async ({ client, output }, words) => {
    for (const id of await idsOf(words, 'the uploads'))
      output.result(await client.uploads.delete(id), [id], () => [`${id} is deleted`]);
  },
});

function showOne({ output }: Session, one: Upload): void {
  output.result(one, [one.id], () => [
    `${one.id}  ${one.status}${one.error === null ? '' : `  ${one.error}`}`,
  ]);
}
