import path from 'node:path';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { readSchemaState } from '@renderkit/server-kit/schema/schema-state.ts';
import { readBuiltInDigest, writeBuiltInDigest } from '../settings/keep-settings.ts';
import { type ApplyResult, applyFile } from './apply-files.ts';
import { withCatalog } from './publish.ts';
import { type CatalogFile, digestOfTexts, isBroken, readCatalogFile } from './read-files.ts';
import { type CatalogLists, type CatalogSnapshot, makeSnapshot, type PublishedModel } from './snapshot.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'models');

/** The product's own models, in the order of lists. */
const models = [
  'atelier-1',
  'sketch-1',
  'linework-1',
  'prism-1',
  'nocturne-1',
  'papercut-studio',
  'figures',
  'retouch-1',
  'engrave-1',
  'collage-studio',
  'drift-1',
  'prism-motion-1',
  'animate-1',
  'score-1',
  'restyle-1',
  'onward-1',
  'sandbox-fail',
  'sandbox-partial',
  'sandbox-slow',
];
const lists = ['plans', 'styles', 'suggestions'] as const satisfies (keyof CatalogLists)[];

/**
 * Publishes what this version of the product brings and the database has not seen. Any number of processes may run it
 * at once. Does nothing on a database that a newer release prepared. Returns the ids of files that it did not apply
 * because an operator changed what is in force.
 */
export async function applyBuiltIn(database: Database): Promise<string[]> {
  // At nearly every start nothing is new: then the files are not parsed.
  const digest = await digestOfTexts(builtInFiles());
  if ((await readBuiltInDigest(database)) === digest) return [];
  const files = await readBuiltIn();
  return withCatalog(database, async (transaction) => {
    if ((await readSchemaState(transaction)).release > release) return [];
    const results: [id: string, result: ApplyResult][] = [];
    for (const file of files) results.push([file.id, await applyFile(transaction, file, 'product')]);
    const kept = results.flatMap(([id, result]) => (result === 'kept' ? [id] : []));
    // While something is kept, each start reports it.
    if (kept.length === 0) await writeBuiltInDigest(transaction, digest);
    return kept;
  });
}

/** Returns the catalog of an installation that nobody has changed. */
export async function builtInCatalog(): Promise<CatalogSnapshot> {
  const content: CatalogLists = { plans: [], styles: [], suggestions: [] };
  const published: PublishedModel[] = [];
  for (const file of await readBuiltIn())
    if (file.kind === 'model')
      published.push({
        manifest: file.model.manifest,
        version: 1,
        thumbnailKey: null,
        sampleSeconds: null,
        paused: null,
        builtIn: true,
        asBrought: true,
        publishedAt: '',
      });
    else Object.assign(content, { [file.kind]: file.content });
  return makeSnapshot(1, published, content, '');
}

function builtInFiles(): string[] {
  const names = [...lists.map((name) => `${name}.yaml`), ...models.map((name) => `${name}.model.yaml`)];
  return names.map((name) => path.join(folder, name));
}

async function readBuiltIn(): Promise<CatalogFile[]> {
  const files: CatalogFile[] = [];
  for (const file of builtInFiles()) {
    const read = await readCatalogFile(file);
    if (isBroken(read)) throw new Error(`${file} is broken: ${read.problems[0]?.message}`);
    files.push(read);
  }
  return files;
}
