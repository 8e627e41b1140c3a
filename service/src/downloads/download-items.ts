import { maxChosenItems } from '@renderkit/contract/console/limits.ts';
import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type ArchivedFile, zipArchive } from '@renderkit/server-kit/files/zip-archive.ts';
import type { OutputMedia } from '../facades/output-media.ts';
import { readSeeds } from '../generations/reads/list-rows.ts';
import { BytesReply } from '../handler.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';
import { attachmentOf, distinctNames, fileNameOf } from './file-name.ts';

export type DownloadDependencies = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  media: Pick<OutputMedia, 'open'>;
};

type File = { name: string; url: string; modifiedAt: Date };

/**
 * Items of an account's library as files to save, named by prompt and seed: one as it is, several in an archive. `ids` has
 * commas between them. The bytes pass through and are kept nowhere.
 * @throws ApiProblem `invalid_request` for too many, `not_found` where one of them is not in the library
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
    const { contentType, bytes } = await deps.media.open(first.url);
    return new BytesReply({ ...savedHeaders(first.name), 'content-type': contentType }, bytes);
  }
  const name = `renderkit-${new Date().toISOString().slice(0, 10)}-${files.length}.zip`;
  const headers = { ...savedHeaders(name), 'content-type': 'application/zip' };
  return new BytesReply(headers, zipArchive(opened(deps, files)));
}

// A foreign file never runs as a page of ours, whatever it is.
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
  const seeds = await readSeeds(
    deps.database,
    accountId,
    found.flatMap(({ token }) => token ?? []),
  );
  const names = distinctNames(
    found.map(({ id, prompt = null, url }) =>
      fileNameOf({ prompt, seed: seeds.get(id), id, extension: extensionOf(url ?? '') }),
    ),
  );
  return found.map(({ url, created_at }, i) => ({
    name: names[i] ?? '',
    url: url ?? '',
    modifiedAt: new Date(created_at ?? 0),
  }));
}

function extensionOf(url: string): string {
  return /\.([0-9a-z]{2,4})$/.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? 'bin';
}

async function* opened(
  { media }: DownloadDependencies,
  files: readonly File[],
): AsyncGenerator<ArchivedFile, void> {
  for (const { name, modifiedAt, url } of files)
    yield { name, modifiedAt, bytes: (await media.open(url)).bytes };
}
