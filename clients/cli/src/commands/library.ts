import { type Asset, RenderkitError } from 'renderkit';
import { countOf } from '../amounts.ts';
import { CliError } from '../cli-error.ts';
import { command } from '../command.ts';
import { idsOf } from '../inputs.ts';
import { type Item, refuseOneFile, saveOutputs } from '../save-outputs.ts';
import { table } from '../table.ts';
import type { Session } from '../session.ts';

const types = ['image', 'video', 'frame'] as const;
type AssetType = (typeof types)[number];
const typeOption = {
  type: { form: 'TYPE', about: 'what they are; image when left out', choices: types },
} as const;

export const list = command({
  usage: '',
  about: 'Lists what was made, the newest first.',
  options: {
    type: { form: 'TYPE', about: 'only these', choices: ['image', 'video'] },
    project: { form: 'ID', about: 'only of this project' },
    search: { form: 'TEXT', about: 'only whose prompt holds this' },
    favorites: { about: 'only favorites' },
    limit: { form: 'N', about: 'how many; 20 when left out' },
  },
  run: async ({ client, output }, _words, values) => {
    const limit = values.limit === undefined ? 20 : countOf(values.limit, 'limit');
    const query = {
      type: values.type as Asset['type'] | undefined,
      project_id: values.project,
      search: values.search,
      favorites: values.favorites,
      limit: Math.min(limit, 100),
    };
    const found: Asset[] = [];
    for await (const asset of client.assets.list(query)) {
      found.push(asset);
      if (found.length === limit) break;
    }
    output.result(
      found,
      found.map(({ id }) => id),
      () =>
        table(
          found.map(({ id, type, width, height, duration, favorite, created_at: created }) => [
            id,
            type,
            `${width ?? '?'} × ${height ?? '?'}${duration === null ? '' : ` ${duration} s`}`,
            created?.slice(0, 19) ?? '',
            favorite ? 'favorite' : '',
          ]),
        ),
    );
  },
});

export const download = command({
  usage: 'ID…|-',
  about: 'Saves items of the library, each under its own id.',
  options: {
    output: { short: 'o', form: 'PATH', about: 'a file, or a folder (with / at its end); ./ when left out' },
  },
  run: async (session, words, values) => {
    const { client, output } = session;
    const ids = await idsOf(words, 'the items');
    refuseOneFile(ids, values.output);
    for (const id of ids) {
      const found = await itemOf(client, id);
      const files = await saveOutputs(session, [found], values.output ?? './');
      output.result({ id, files }, files, () => files);
    }
  },
});

/**
 * Finds an item. A picture is fetched by its id; a video is searched for in the list.
 *
 * @throws RenderkitError `not_found`; CliError when its file no longer exists
 */
async function itemOf(client: Session['client'], id: string): Promise<Item> {
  const { url, type } = await client.assets.retrieveImage(id).catch(async (error: unknown) => {
    if (!RenderkitError.is(error) || error.code !== 'not_found') throw error;
    for await (const asset of client.assets.list({ type: 'video', limit: 100 }))
      if (asset.id === id) return asset;
    throw error;
  });
  if (url === null) throw new CliError(`${id} has no file.`);
  return { id, type, url };
}

export const favorite = command({
  usage: 'ID…|-',
  about: 'Marks items of the library as favorites.',
  options: typeOption,
  run: (session, words, values) => mark(session, words, values.type, true),
});

export const unfavorite = command({
  usage: 'ID…|-',
  about: 'Takes the mark of a favorite from items.',
  options: typeOption,
  run: (session, words, values) => mark(session, words, values.type, false),
});

async function mark(
  { client, output }: Session,
  words: string[],
  type: string | undefined,
  isFavorite: boolean,
) {
  for (const id of await idsOf(words, 'the items'))
    output.result(
      await client.assets.setFavorite((type ?? 'image') as AssetType, id, isFavorite),
      [id],
      () => [id],
    );
}

export const remove = command({
  usage: 'ID…|-',
  about: 'Deletes items of the library; the records of their generations stay.',
  options: typeOption,
  run: async ({ client, output }, words, values) => {
    for (const id of await idsOf(words, 'the items'))
      output.result(await client.assets.delete((values.type ?? 'image') as AssetType, id), [id], () => [
        `${id} is deleted`,
      ]);
  },
});
