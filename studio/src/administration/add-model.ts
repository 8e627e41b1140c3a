import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import { addVersion, amendDraft, type ModelFiles, reviveModel, withCatalog } from '../catalog/publish.ts';
import { isBroken, readModelFile, readModelTexts } from '../catalog/read-files.ts';
import { keepThumbnail } from '../catalog/thumbnails.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { describedParameters, type Parameter, parametersOf } from '@renderkit/manifests/parameters.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { editSource } from './edit-source.ts';
import {
  basedOn,
  findVersion,
  type KnownModel,
  ModelRefused,
  type ModelTexts,
  refusing,
  requireNewest,
} from './models.ts';
import { findVersions, type StoredVersion } from './store.ts';

export type AddedModel = {
  id: string;
  version: number;
  added: boolean;
  suites: Manifest['suites'];
  price: Manifest['price'];
  parameters: readonly Parameter[];
};

/**
 * Adds a draft of a model from its manifest and the texts that the manifest names. The same content makes no new
 * version. `base`: the version that it changes; the id must stay the same.
 * @throws ModelRefused
 */
export async function addModel(
  { source, files, image }: ModelTexts & Pick<ModelFiles, 'image'>,
  actor: AdminActor,
  media: MediaStore,
  { base }: { base?: StoredVersion & { id: string } } = {},
): Promise<AddedModel> {
  const { model, problems } = readModelTexts(source, files);
  if (model === undefined) throw new ModelRefused(problems);
  if (base !== undefined && model.manifest.id !== base.id)
    throw new ModelRefused([{ code: 'choice_unknown', message: `The manifest's id must stay ${base.id}.` }]);
  if (problems.length > 0) throw new ModelRefused(problems, { known: knownOf(model.manifest) });
  const stored = await refusing(keepThumbnail(image === undefined ? model : { ...model, image }, media));
  return addDraft(media.database, base === undefined ? stored : basedOn(base, stored), actor);
}

/**
 * Adds a version that may still have problems: it is not offered while it has any. `newest`: the version that it
 * replaces as the newest.
 * @throws ModelChanged if there is a newer one by now
 */
export async function addDraft(
  database: Database,
  model: ModelFiles,
  actor: AdminActor,
  { newest }: { newest?: number } = {},
): Promise<AddedModel> {
  const { manifest, imported = null } = model;
  const { id, price, suites } = manifest;
  const { version, added } = await withCatalog(database, async (transaction) => {
    if (newest !== undefined) await requireNewest(transaction, id, newest);
    const draft = await addVersion(transaction, model, actor);
    await reviveModel(transaction, id, actor);
    return draft;
  });
  return { id, version, added, price, suites, parameters: describedParameters(manifest, imported) };
}

function knownOf(manifest: Manifest): KnownModel {
  return { suites: manifest.suites, parameters: parametersOf(manifest) };
}

/**
 * Adds a version from a manifest's file and the files that it names. `id`, `name` and `priceMillicredits` replace the
 * manifest's own values.
 * @throws ModelRefused
 */
export async function addModelFile(
  file: string,
  {
    id,
    name,
    priceMillicredits,
  }: {
    id?: string | undefined;
    name?: string | undefined;
    priceMillicredits?: number | undefined;
  },
  actor: AdminActor,
  media: MediaStore,
): Promise<AddedModel> {
  const read = await readModelFile(file);
  if (isBroken(read)) throw new ModelRefused(read.problems);
  const changes = [
    ...(id === undefined ? [] : [{ path: ['id'], value: id }]),
    ...(name === undefined ? [] : [{ path: ['name'], value: name }]),
    ...(priceMillicredits === undefined
      ? []
      : [{ path: ['price', 'base_millicredits'], value: priceMillicredits }]),
  ];
  const { source, files, image } = read.model;
  const edited = changes.length === 0 ? source : editSource(source, changes);
  const texts = { source: edited, files };
  return addModel(image === undefined ? texts : { ...texts, image }, actor, media);
}

/**
 * Returns the price that a further version of a model begins with, and whether users pay that price; `undefined` if
 * there is no such model.
 */
export async function findPrice(
  database: Database,
  id: string,
): Promise<{ price: Manifest['price']; isPublished: boolean } | undefined> {
  const versions = await findVersions(database, id);
  const { manifest } = versions?.published ?? versions?.newest ?? {};
  return manifest && { price: manifest.price, isPublished: versions?.published !== undefined };
}

/** Gives a draft another price. Returns the version that has it: a version that was ever offered is not changed. */
export async function repriceDraft(
  database: Database,
  { id, version }: { id: string; version: number },
  millicredits: number,
  actor: AdminActor,
): Promise<{ version: number; price: Manifest['price'] }> {
  const stored = await findVersion(database, id, version);
  const { source, files } = stored;
  const path = ['price', 'base_millicredits'];
  const { model, problems } = readModelTexts(editSource(source, [{ path, value: millicredits }]), files);
  if (model === undefined) throw new ModelRefused(problems);
  return withCatalog(database, async (transaction) => ({
    version: await amendDraft(transaction, version, basedOn(stored, model), actor),
    price: model.manifest.price,
  }));
}
