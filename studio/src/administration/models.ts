import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import {
  addVersion,
  publishModel as offer,
  PublishError,
  retireModel as withdraw,
  withCatalog,
} from '../catalog/publish.ts';
import { isBroken, readModelFile, readModelTexts } from '../catalog/read-files.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { editSource } from './edit-source.ts';
import { findVersions, selectModels, selectRouteFits, type StoredVersion } from './store.ts';

// What administrators do with models, at the command line or elsewhere: plain functions over the studio's database, which
// work whether the studio runs or not.

/** A model that cannot be taken as it is; the message is that of the first problem. */
export class ModelRefused extends Error {
  override name = 'ModelRefused';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems[0]?.message ?? 'The model cannot be used.', options);
    this.problems = problems;
  }
}

export type ModelEntry = {
  id: string;
  name: string;
  /** On offer, or else the newest. */
  version: number;
  published_version: number | null;
  /** A newer version, or one that was never on offer. */
  draft_version: number | null;
  suites: Manifest['suites'];
  price: Manifest['price'];
  state: 'offered' | 'paused' | 'draft' | 'retired';
  /** Why it is paused. */
  reason: string | null;
};

/** Every model, in the order of the catalog. */
export async function listModels(database: Database): Promise<ModelEntry[]> {
  return (await selectModels(database)).map((row) => {
    const { id, manifest, published_version: published, newest_version: newest, paused_reason: reason } = row;
    const isOffered = published !== null;
    return {
      id,
      name: manifest.name,
      version: published ?? newest,
      published_version: published,
      draft_version: newest === published || row.retired ? null : newest,
      suites: manifest.suites,
      price: manifest.price,
      state: isOffered ? (reason === null ? 'offered' : 'paused') : row.retired ? 'retired' : 'draft',
      reason: isOffered ? reason : null,
    };
  });
}

export type ModelFit = {
  id: string;
  route: string;
  backend: string | null;
  fits: boolean;
  problems: readonly Problem[];
};

/** Whether each route works on each backend that it names, as it was found when it was last looked at. */
export async function checkModels(database: Database, id?: string): Promise<ModelFit[]> {
  const rows = await selectRouteFits(database, id);
  if (id !== undefined && rows.length === 0) throw noSuchModel(id);
  return rows.map(({ id: model, route, engine, wanted, backend, fits, problems }) => ({
    id: model,
    route,
    backend,
    fits: fits ?? false,
    problems: problems ?? [{ code: 'unknown_backend', message: whyUnknown(engine, wanted, backend) }],
  }));
}

function whyUnknown(engine: string, wanted: readonly string[], backend: string | null): string {
  return backend === null
    ? `No backend of the engine ${engine} has the name or label ${wanted.join(' or ')}: add one with backend add.`
    : `${backend} has not been looked at yet: a worker does that while it runs.`;
}

export type AddedModel = {
  id: string;
  version: number;
  added: boolean;
  published: boolean;
  suites: Manifest['suites'];
};

/**
 * Adds a version of a model from its manifest and the texts that this names; the same content makes no new one. On offer
 * only with `publish`. @throws ModelRefused
 */
export async function addModel(
  database: Database,
  { source, files }: { source: string; files: Readonly<Record<string, string>> },
  { actor, publish }: { actor: AdminActor; publish: boolean },
): Promise<AddedModel> {
  const model = readModelTexts(source, files);
  if ('problems' in model) throw new ModelRefused(model.problems);
  const { id, suites } = model.manifest;
  return withCatalog(database, async (transaction) => {
    const { version, added } = await addVersion(transaction, model, actor);
    if (publish) await offer(transaction, id, version, actor);
    return { id, version, added, published: publish, suites };
  });
}

/**
 * Adds a version from a manifest's file and those beside it. Another id, name or price takes the place of what it says.
 * @throws ModelRefused
 */
export async function addModelFile(
  database: Database,
  file: string,
  {
    id,
    name,
    priceMillicredits,
    ...options
  }: {
    id?: string | undefined;
    name?: string | undefined;
    priceMillicredits?: number | undefined;
    actor: AdminActor;
    publish: boolean;
  },
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
  const { source, files } = read.model;
  const edited = changes.length === 0 ? source : editSource(source, changes);
  return addModel(database, { source: edited, files }, options);
}

/** The price of a model on offer; undefined where there is none. */
export async function findPrice(database: Database, id: string): Promise<Manifest['price'] | undefined> {
  return (await findVersions(database, id))?.published?.manifest.price;
}

/** Offers the newest version of a model, or the one that is named; an older one too. @throws ModelRefused */
export async function publishModel(
  database: Database,
  { id, version }: { id: string; version?: number },
  actor: AdminActor,
): Promise<{ id: string; version: number }> {
  return refusing(
    withCatalog(database, async (transaction) => ({
      id,
      version: await offer(transaction, id, version, actor),
    })),
  );
}

/** Takes a model off the list; what was quoted is still made. @throws ModelRefused */
export async function retireModel(database: Database, id: string, actor: AdminActor): Promise<void> {
  await refusing(withCatalog(database, (transaction) => withdraw(transaction, id, actor)));
}

async function refusing<T>(act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    throw new ModelRefused([{ code: 'choice_unknown', message: error.message }], { cause: error });
  }
}

/**
 * The newest version as files, by their names; added again they make no new version. @throws ModelRefused where there is
 * no such model
 */
export async function exportModel(
  database: Database,
  id: string,
): Promise<{ version: number; files: Record<string, string> }> {
  const { newest } = await versionsOf(database, id);
  const ending = newest.source.trimStart().startsWith('{') ? 'json' : 'yaml';
  const name = `${id.replaceAll('/', '-')}.model.${ending}`;
  return { version: newest.version, files: { [name]: newest.source, ...newest.files } };
}

export type ModelDifference = { path: string; before: unknown; after: unknown };

/** What the newest version says that the one on offer does not; all of it where none is. @throws ModelRefused */
export async function diffModel(
  database: Database,
  id: string,
): Promise<{
  id: string;
  published_version: number | null;
  version: number;
  differences: ModelDifference[];
}> {
  const { newest, published } = await versionsOf(database, id);
  const content = (version: StoredVersion | undefined) =>
    version && { manifest: version.manifest, files: version.files };
  return {
    id,
    published_version: published?.version ?? null,
    version: newest.version,
    differences: [...differences(content(published), content(newest), '')],
  };
}

function* differences(before: unknown, after: unknown, path: string): Generator<ModelDifference> {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  if (one === undefined || other === undefined) {
    yield { path: path.slice(1), before: before ?? null, after: after ?? null };
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
    yield* differences(one[key], other[key], `${path}/${key}`);
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** @throws ModelRefused where there is no such model */
export async function versionsOf(
  database: Database,
  id: string,
): Promise<{ newest: StoredVersion; published: StoredVersion | undefined }> {
  const versions = await findVersions(database, id);
  if (versions === undefined) throw noSuchModel(id);
  return versions;
}

function noSuchModel(id: string): ModelRefused {
  return new ModelRefused([{ code: 'choice_unknown', message: `There is no model ${id}.` }]);
}
