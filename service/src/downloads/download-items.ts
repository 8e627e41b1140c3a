import { maxChosenItems } from '@renderkit/contract/console/limits.ts';
import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { embedXmp } from '@renderkit/server-kit/files/embed-xmp.ts';
import { type ArchivedFile, zipArchive } from '@renderkit/server-kit/files/zip-archive.ts';
import { selectSettings } from '../account/queries.ts';
import type { OutputMedia } from '../facades/output-media.ts';
import { readMadeWith, readSeeds } from '../generations/reads/list-console-rows.ts';
import { BytesReply } from '../http/handler.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';
import { attachmentOf, distinctNames, fileNameOf } from './file-name.ts';
import { recipeOf } from './recipe.ts';

export type DownloadDependencies = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  media: Pick<OutputMedia, 'open'>;
};

type File = {
  name: string;
  url: string;
  modifiedAt: Date;
  /** An XMP packet to write into the file. */
  recipe: string | undefined;
};

/**
 * Returns items of an account's library as files to save, named by prompt and seed. One item is sent as it is, several
 * in an archive. `ids` are separated by commas. The bytes are streamed and not stored. When the account wants it, each
 * file includes how it was made.
 * @throws ApiProblem `invalid_request` for too many, `not_found` when one of them is not in the library
 */
export async function downloadItems(
  deps: DownloadDependencies,
  { accountId, ids: text }: { accountId: string; ids: string },
): Promise<BytesReply> {
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length === 0 || ids.length > maxChosenItems)
    throw new ApiProblem('invalid_request', {
      errors: [{ field: 'ids', message: `must name 1 to ${maxChosenItems} items` }],
    });
  const files = await filesOf(deps, accountId, ids);
  const [first] = files;
  if (first !== undefined && files.length === 1) {
    const { contentType, bytes } = await open(deps, first);
    return new BytesReply({ ...savedHeaders(first.name), 'content-type': contentType }, bytes);
  }
  const name = `renderkit-${new Date().toISOString().slice(0, 10)}-${files.length}.zip`;
  const headers = { ...savedHeaders(name), 'content-type': 'application/zip' };
  return new BytesReply(headers, zipArchive(opened(deps, files)));
}

// Ensures that a file from outside never runs as a page of ours.
const savedHeaders = (name: string) => ({
  'content-disposition': attachmentOf(name),
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
});

async function filesOf(deps: DownloadDependencies, accountId: string, ids: string[]): Promise<File[]> {
  const { assets } = await translated(deps.studioClient.call('lookUpAssets', { accountId, body: { ids } }));
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  const found = ids.map((id) => byId.get(id)).filter((asset) => asset?.url != null) as StudioAsset[];
  if (found.length < ids.length)
    throw new ApiProblem('not_found', { detail: 'There is no such item in the library.' });
  const tokens = found.flatMap(({ token }) => token ?? []);
  const [seeds, recipes] = await Promise.all([
    readSeeds(deps.database, accountId, tokens),
    recipesOf(deps.database, accountId, found),
  ]);
  const names = distinctNames(
    found.map(({ id, prompt = null, url }) =>
      fileNameOf({ prompt, seed: seeds.get(id), id, extension: extensionOf(url ?? '') }),
    ),
  );
  return found.map(({ id, url, created_at }, i) => ({
    name: names[i] ?? '',
    url: url ?? '',
    modifiedAt: new Date(created_at ?? 0),
    recipe: recipes.get(id),
  }));
}

/** Returns the recipes to write into files, by the items' ids; none when the account does not want them. */
async function recipesOf(
  database: Database,
  accountId: string,
  assets: readonly StudioAsset[],
): Promise<ReadonlyMap<string, string>> {
  const { recipes_in_files: wanted } = await selectSettings(database, accountId);
  if (!wanted) return new Map();
  const made = await readMadeWith(
    database,
    accountId,
    assets.flatMap(({ token }) => token ?? []),
  );
  return new Map(
    assets.flatMap(({ id, token }) => {
      const generation = made.get(token ?? '');
      return generation === undefined ? [] : [[id, recipeOf(generation, id)] as const];
    }),
  );
}

function extensionOf(url: string): string {
  return /\.([0-9a-z]{2,4})$/.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? 'bin';
}

async function* opened(
  deps: DownloadDependencies,
  files: readonly File[],
): AsyncGenerator<ArchivedFile, void> {
  for (const file of files) {
    const { bytes } = await open(deps, file);
    yield { name: file.name, modifiedAt: file.modifiedAt, bytes };
  }
}

async function open({ media }: DownloadDependencies, { url, recipe }: File): ReturnType<OutputMedia['open']> {
  const { contentType, bytes } = await media.open(url);
  return { contentType, bytes: recipe === undefined ? bytes : embedXmp(bytes, recipe) };
}
