import type { Project } from 'renderkit';
import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { idsOf } from '../inputs.ts';
import { table } from '../table.ts';

export const list = command({
  usage: '',
  about: 'Lists projects, the newest first.',
  options: {},
  run: async ({ client, output }) => {
    const found: Project[] = await Array.fromAsync(client.projects.list());
    output.result(
      found,
      found.map(({ id }) => id),
      () => table(found.map(({ id, title }) => [id, title])),
    );
  },
});

export const create = command({
  usage: '[TITLE]',
  about: 'Makes a project; --project of other commands takes its id.',
  options: {},
  run: async ({ client, output }, words) => {
    const made = await client.projects.create(words.length === 0 ? {} : { title: words.join(' ') });
    output.result(made, [made.id], () => [`${made.id}  ${made.title}`]);
  },
});

export const rename = command({
  usage: 'ID TITLE',
  about: 'Gives a project another title.',
  options: {},
  run: async ({ client, output }, [id, ...words]) => {
    if (id === undefined || words.length === 0) throw new UsageError('Name the project and its new title.');
    const renamed = await client.projects.update(id, { title: words.join(' ') });
    output.result(renamed, [id], () => [`${id}  ${renamed.title}`]);
  },
});

export const remove = command({
  usage: 'ID…|-',
  about: 'Deletes projects.',
  options: {},
  run: async ({ client, output }, words) => {
    for (const id of await idsOf(words, 'the projects'))
      output.result(await client.projects.delete(id), [id], () => [`${id} is deleted`]);
  },
});
