import type {
  ManagedModel,
  ManagedModelDetail,
  ManagedParameter,
  ModelDiff,
  ModelVersion,
} from '@renderkit/contract/studio/administration/models.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { Static } from 'typebox';
import { addVersion, type ModelFiles, publishModel, withCatalog } from '../catalog/publish.ts';
import { readModelTexts } from '../catalog/read-files.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { describedParameters, type Parameter } from '@renderkit/manifests/parameters.ts';
import { type Asker, requireFreshSignIn } from './asker.ts';
import { differences } from './differences.ts';
import { editSource } from './edit-source.ts';
import {
  findWholeVersion,
  type ManagedModelRow,
  selectManagedModels,
  selectVersionEntries,
  type VersionEntry,
  type WholeVersion,
} from './managed-store.ts';
import { basedOn, checkModels, type FindingsOf, modelEntry, ModelMissing, ModelRefused } from './models.ts';

// Models as administrators see them over HTTP. `mediaUrl` is the prefix of a thumbnail's storage key, and ends with a
// slash.

/** Lists models in the order of the catalog, including drafts and retired ones. */
export async function listManagedModels(database: Database, mediaUrl: string): Promise<ManagedModel[]> {
  return (await selectManagedModels(database)).map((row) => present(row, mediaUrl));
}

/** @throws ModelMissing */
export async function showManagedModel(
  database: Database,
  id: string,
  mediaUrl: string,
): Promise<ManagedModelDetail> {
  const row = await findModel(database, id);
  const versions = await selectVersionEntries(database, id);
  const fits = row.retired ? [] : await checkModels(database, id);
  return {
    ...present(row, mediaUrl),
    versions: versions.map((version) => presentVersion(version, mediaUrl)),
    fits: fits.map(({ route, backend, fits: works, problems, warnings }) => ({
      route,
      backend,
      fits: works,
      engine: row.manifest.routes.find(({ name }) => name === route)?.engine ?? '',
      problems: [...problems],
      warnings: [...warnings],
    })),
  };
}

/** @throws ModelMissing */
export async function showVersion(
  database: Database,
  { id, version }: { id: string; version: number },
  mediaUrl: string,
): Promise<ModelVersion> {
  const found = await findVersion(database, id, version);
  const { manifest, source, files, imported } = found;
  return {
    id,
    ...presentVersion(found, mediaUrl),
    source,
    files,
    parameters: describedParameters(manifest, imported).map(presentParameter),
    warnings: [...(imported?.warnings ?? [])],
  };
}

/**
 * Compares two versions: by default the newest with the one on offer, or with nothing if none is.
 * @throws ModelMissing
 */
export async function compareVersions(
  database: Database,
  id: string,
  asked: { from?: number | undefined; to?: number | undefined },
): Promise<Static<typeof ModelDiff>> {
  const row = await findModel(database, id);
  const from = asked.from ?? row.published_version;
  const to = asked.to ?? row.newest_version;
  const content = ({ manifest, files }: WholeVersion) => ({ manifest, files });
  const before = from === null ? undefined : content(await findVersion(database, id, from));
  return { id, from, to, differences: differences(before, content(await findVersion(database, id, to))) };
}

/**
 * Offers a version; with another base price it becomes the next version. A fresh sign-in is needed if users did not pay
 * this price before, or if commands were not run before. `findingsOf` asks machines before anything is locked. For the
 * console; `publishModel` in `models.ts` offers a version for the command line.
 * @throws ModelMissing, ModelRefused, PublishError, StudioError
 */
export async function offerVersion(
  database: Database,
  { id, version, priceMillicredits }: { id: string; version?: number; priceMillicredits?: number },
  asker: Asker,
  findingsOf: FindingsOf,
): Promise<{ id: string; version: number; warnings: string[] }> {
  const { newest_version: newest } = await findModel(database, id);
  const wanted = await findVersion(database, id, version ?? newest);
  const { model, version: known } = priced(wanted, priceMillicredits);
  const { problems, warnings } = await findingsOf(model);
  if (problems.length > 0) throw new ModelRefused(problems);
  return withCatalog(database, async (transaction) => {
    const offered = await findOffered(transaction, id);
    if (JSON.stringify(offered?.price) !== JSON.stringify(model.manifest.price))
      requireFreshSignIn(asker, `The price of ${id} changes`);
    refuseNewCommands(offered, model.manifest, asker);
    const number = known ?? (await addVersion(transaction, model, asker.actor)).version;
    const offeredVersion = await publishModel(transaction, id, number, asker.actor);
    return { id, version: offeredVersion, warnings: [...warnings] };
  });
}

/**
 * Returns a version with this base price. `version`: the number of this content; `undefined` if the price differs.
 * @throws ModelRefused
 */
function priced(
  stored: WholeVersion,
  millicredits: number | undefined,
): { model: ModelFiles; version: number | undefined } {
  const { version, manifest, source, files } = stored;
  if (millicredits === undefined || millicredits === manifest.price.base_millicredits)
    return { model: { manifest, source, files }, version };
  const edited = editSource(source, [{ path: ['price', 'base_millicredits'], value: millicredits }]);
  const { model, problems } = readModelTexts(edited, files);
  if (model === undefined) throw new ModelRefused(problems);
  return { model: basedOn(stored, model), version: undefined };
}

/**
 * Requires a fresh sign-in before a sample, which runs the version's commands.
 * @throws ModelMissing, StudioError `sign_in_required`
 */
export async function requireFreshForCommands(
  database: Database,
  { id, version }: { id: string; version: number },
  asker: Asker,
): Promise<void> {
  const { manifest } = await findVersion(database, id, version);
  refuseNewCommands(await findOffered(database, id), manifest, asker);
}

async function findOffered(queryable: Queryable, id: string): Promise<Manifest | undefined> {
  const [row] = await selectManagedModels(queryable, id);
  return row === undefined || row.published_version === null ? undefined : row.manifest;
}

function refuseNewCommands(offered: Manifest | undefined, wanted: Manifest, asker: Asker): void {
  const commands = commandsOf(wanted);
  if (commands.length > 0 && JSON.stringify(commands) !== JSON.stringify(commandsOf(offered)))
    requireFreshSignIn(asker, `${wanted.id} runs other commands on the machines of workers`);
}

function commandsOf(manifest: Manifest | undefined): Pick<Route, 'run' | 'env'>[] {
  return (manifest?.routes ?? [])
    .filter(({ engine }) => engine === 'command')
    .map(({ run, env }) => ({ run, env }));
}

/** @throws ModelMissing */
export async function findModel(database: Database, id: string): Promise<ManagedModelRow> {
  const [row] = await selectManagedModels(database, id);
  if (row === undefined) throw missing(`There is no model ${id}.`);
  return row;
}

/** @throws ModelMissing */
export async function findVersion(database: Database, id: string, version: number): Promise<WholeVersion> {
  const found = await findWholeVersion(database, id, version);
  if (found === undefined) throw missing(`The model ${id} has no version ${version}.`);
  return found;
}

export function presentParameter({
  target,
  node,
  source,
  sources,
  sure,
  reason,
  confirmed,
}: Parameter): ManagedParameter {
  return { target, node, source, sources: [...sources], sure, reason, confirmed };
}

function missing(message: string): ModelMissing {
  return new ModelMissing([{ code: 'choice_unknown', message }]);
}

function present(row: ManagedModelRow, mediaUrl: string): ManagedModel {
  return {
    ...modelEntry(row),
    paused_by_administrator: row.pause_asked !== null,
    built_in: row.built_in,
    thumbnail: linkOf(row.thumbnail_key, mediaUrl),
    fits_on: row.fits_on,
  };
}

function presentVersion(
  { version, created_at, published_at, price, suites, thumbnail_key: key, sample_seconds }: VersionEntry,
  mediaUrl: string,
): ManagedModelDetail['versions'][number] {
  return {
    version,
    created_at,
    published_at,
    price,
    suites,
    thumbnail: linkOf(key, mediaUrl),
    sample_seconds,
  };
}

function linkOf(key: string | null, mediaUrl: string): string | null {
  return key === null ? null : mediaUrl + key;
}
