import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import { whyNowhere } from '../backends/find-backends-of.ts';
import {
  changePause,
  type ModelFiles,
  publishModel as offer,
  PublishError,
  retireModel as withdraw,
  withCatalog,
} from '../catalog/publish.ts';
import { readModelTexts } from '../catalog/read-files.ts';
import { type Manifest, manifestName } from '@renderkit/manifests/manifest.ts';
import type { Parameter } from '@renderkit/manifests/parameters.ts';
import { untraceableRoutes } from '@renderkit/manifests/untraceable-routes.ts';
import { type StoppedSample, stopSamples } from '../renders/samples.ts';
import { type Difference, differences } from './differences.ts';
import {
  findVersion as selectVersion,
  findVersions,
  type ListedModel,
  selectModels,
  selectRouteFits,
  type StoredVersion,
} from './store.ts';

// The operations of administrators on models, at the command line or elsewhere: plain functions over the studio's
// database. They work whether the studio runs or not.

/** What is known of a refused model, as far as it was understood. */
export type KnownModel = { suites: Manifest['suites']; parameters: readonly Parameter[] };

/** A model cannot be accepted as it is. The message is that of the first problem. */
export class ModelRefused extends Error {
  override name = 'ModelRefused';
  readonly problems: readonly Problem[];
  readonly known: KnownModel;

  constructor(
    problems: readonly Problem[],
    { known, ...options }: ErrorOptions & { known?: KnownModel } = {},
  ) {
    super(problems[0]?.message ?? 'The model cannot be used.', options);
    this.problems = problems;
    this.known = known ?? { suites: [], parameters: [] };
  }
}

export type ModelTexts = { source: string; files: Readonly<Record<string, string>> };

/**
 * `problems`: everything that keeps a model from being offered, found in the model itself and, if machines are asked,
 * by them. `warnings`: what else its operator should know, in a sentence each. Examples are machines that do not answer
 * or cannot make it for now, and routes whose lost jobs are given up. `FindingsOf` is implemented by `ownFindings`
 * below and, with machines, by `findingsByMachines` in `ask-machines.ts`.
 */
export type Findings = { problems: readonly Problem[]; warnings: readonly string[] };
export type FindingsOf = (model: ModelTexts) => Promise<Findings>;

/** There is no such model, or no such version of it. */
export class ModelMissing extends ModelRefused {
  override name = 'ModelMissing';
}

/** Somebody else has added a newer version than the one that this change is based on. */
export class ModelChanged extends ModelRefused {
  override name = 'ModelChanged';
}

export type ModelEntry = {
  id: string;
  name: string;
  /** The version on offer, or else the newest. */
  version: number;
  published_version: number | null;
  /** A version newer than the offered one, or the newest if none is offered. */
  draft_version: number | null;
  suites: Manifest['suites'];
  price: Manifest['price'];
  state: 'offered' | 'paused' | 'draft' | 'retired';
  /** Why it is paused, or why nothing could make a draft now. */
  reason: string | null;
};

/** Lists every model, in the order of the catalog. */
export async function listModels(database: Database): Promise<ModelEntry[]> {
  return (await selectModels(database)).map(modelEntry);
}

export function modelEntry(row: ListedModel): ModelEntry {
  const { id, manifest, published_version: published, newest_version: newest, obstacle: reason } = row;
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
    reason,
  };
}

export type ModelFit = {
  id: string;
  route: string;
  backend: string | null;
  fits: boolean;
  problems: readonly Problem[];
  /** What prevents nothing but is worth knowing: a card with less memory than the route wants. */
  warnings: readonly string[];
};

/** Returns whether each route works on each backend that it names, as the last check found. */
export async function checkModels(database: Database, id?: string): Promise<ModelFit[]> {
  const rows = await selectRouteFits(database, id);
  if (id !== undefined && rows.length === 0) throw noSuchModel(id);
  return rows.map(
    ({ id: model, route, engine, wanted, backend, fits, problems, requires, vram_bytes: bytes }) => {
      const tooSmall = backend === null ? null : tooSmallFor(requires ?? {}, backend, bytes);
      return {
        id: model,
        route,
        backend,
        fits: fits ?? false,
        problems: problems ?? [{ code: 'unknown_backend', message: whyUnknown(engine, wanted, backend) }],
        warnings: tooSmall === null ? [] : [tooSmall],
      };
    },
  );
}

const bytesOfGigabyte = 1e9;

/** Returns a warning if a card has less memory than a route asks for: it may still run, slowly or for small jobs. */
export function tooSmallFor(
  { vram_gb: wanted = 0 }: NonNullable<Route['requires']> = {},
  backend: string,
  bytes: number | null = null,
): string | null {
  if (bytes === null || bytes >= wanted * bytesOfGigabyte) return null;
  // The memory of cards is sold in powers of two.
  return `${backend} has ${Math.round(bytes / 2 ** 30)} GB of memory, and the route wants ${wanted}.`;
}

function whyUnknown(engine: Route['engine'], wanted: readonly string[], backend: string | null): string {
  return backend === null
    ? whyNowhere({ engine, on: wanted })
    : `${backend} has not been looked at yet: a worker does that while it runs.`;
}

/**
 * Returns a model that is made from a stored version with another manifest. It keeps what was found in the workflow,
 * and the image if both manifests name it. It keeps the sample, even one in progress, if the new version makes the
 * same.
 */
export function basedOn(
  stored: Pick<StoredVersion, 'version' | 'manifest' | 'files' | 'thumbnail_key' | 'imported'>,
  model: ModelFiles,
): ModelFiles {
  const { version, thumbnail_key: key, imported } = stored;
  const { thumbnail } = model.manifest;
  const isOwn = thumbnail !== null && thumbnail === stored.manifest.thumbnail;
  return {
    ...model,
    imported,
    ...(isOwn && key !== null && { thumbnailKey: key }),
    ...(makesTheSame(stored, model) && { sameAs: version }),
  };
}

/** The keys that change no image: a model's name, who is offered it, and its price. */
const offerKeys = [
  'name',
  'description',
  'kind',
  'default_for',
  'nsfw',
  'tiers',
  'thumbnail',
  'refused_styles',
  'subjects',
  'prompt_required',
  'price',
] as const satisfies (keyof Manifest)[];

function makesTheSame(
  a: Pick<StoredVersion, 'manifest' | 'files'>,
  b: Pick<StoredVersion, 'manifest' | 'files'>,
): boolean {
  // As the database stores it: without undefined values.
  const made = ({ manifest, files }: typeof a): unknown =>
    JSON.parse(
      JSON.stringify({
        files,
        manifest: { ...manifest, ...Object.fromEntries(offerKeys.map((key) => [key, undefined])) },
      }),
    );
  return isDeepStrictEqual(made(a), made(b));
}

/** @throws ModelRefused if there is no such version */
export async function findVersion(database: Database, id: string, version: number): Promise<StoredVersion> {
  const found = await selectVersion(database, id, version);
  if (found === undefined)
    throw new ModelRefused([
      { code: 'choice_unknown', message: `The model ${id} has no version ${version}.` },
    ]);
  return found;
}

/** Finds the problems of a model without asking any machine. */
export const ownFindings: FindingsOf = ({ source, files }) => {
  const { model, problems } = readModelTexts(source, files);
  return Promise.resolve({ problems, warnings: untraceableRoutes(model?.manifest.routes ?? []) });
};

/**
 * Offers the newest version of a model, or the given one, which may be older. For the command line; `offerVersion` in
 * `managed-models.ts` offers a version for the console.
 * @throws ModelRefused also if it has problems
 */
export async function publishModel(
  database: Database,
  { id, version: wanted }: { id: string; version?: number },
  actor: AdminActor,
  findingsOf = ownFindings,
): Promise<{ id: string; version: number; warnings: readonly string[] }> {
  const { newest } = await versionsOf(database, id);
  const version = wanted ?? newest.version;
  const { problems, warnings } = await findingsOf(await findVersion(database, id, version));
  if (problems.length > 0) throw new ModelRefused(problems);
  return refusing(
    withCatalog(database, async (transaction) => ({
      id,
      version: await offer(transaction, id, version, actor),
      warnings,
    })),
  );
}

/**
 * Takes a model off the list, or drops a draft. What was quoted is still made. Samples in progress end, and nothing of
 * them is kept.
 * @throws ModelRefused
 */
export async function retireModel(
  database: Database,
  id: string,
  actor: AdminActor,
): Promise<StoppedSample[]> {
  return refusing(
    withCatalog(database, async (transaction) => {
      await withdraw(transaction, id, actor);
      return stopSamples(transaction, { id });
    }),
  );
}

/** Refuses new renders of a model until it is resumed. @throws ModelRefused */
export async function pauseModel(
  database: Database,
  { id, reason }: { id: string; reason: string },
  actor: AdminActor,
): Promise<void> {
  await refusing(withCatalog(database, (transaction) => changePause(transaction, id, reason, actor)));
}

/** Ends the pause. @throws ModelRefused */
export async function resumeModel(database: Database, id: string, actor: AdminActor): Promise<void> {
  await refusing(withCatalog(database, (transaction) => changePause(transaction, id, null, actor)));
}

/** Turns a `PublishError` into a refusal. */
export async function refusing<T>(act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    throw new ModelRefused([{ code: 'choice_unknown', message: error.message }], { cause: error });
  }
}

/**
 * Returns the newest version as files, by their names. If they are added again they make no new version. `image`: its
 * own thumbnail; `key` is that of the small image.
 * @throws ModelRefused if there is no such model
 */
export async function exportModel(
  database: Database,
  id: string,
): Promise<{ version: number; files: Record<string, string>; image: { name: string; key: string } | null }> {
  const { newest } = await versionsOf(database, id);
  const { thumbnail } = newest.manifest;
  return {
    version: newest.version,
    files: { [manifestName(id, newest.source)]: newest.source, ...newest.files },
    image:
      thumbnail === null || newest.thumbnail_key === null
        ? null
        : { name: thumbnail, key: newest.thumbnail_key },
  };
}

/**
 * Returns what differs between the newest version and the one on offer, or all of the newest if none is offered.
 * @throws ModelRefused
 */
export async function diffModel(
  database: Database,
  id: string,
): Promise<{
  id: string;
  published_version: number | null;
  version: number;
  differences: Difference[];
}> {
  const { newest, published } = await versionsOf(database, id);
  const content = (version: StoredVersion | undefined) =>
    version && { manifest: version.manifest, files: version.files };
  return {
    id,
    published_version: published?.version ?? null,
    version: newest.version,
    differences: differences(content(published), content(newest)),
  };
}

/** @throws ModelRefused if there is no such model */
export async function versionsOf(
  database: Database,
  id: string,
): Promise<{ newest: StoredVersion; published: StoredVersion | undefined }> {
  const versions = await findVersions(database, id);
  if (versions === undefined) throw noSuchModel(id);
  return versions;
}

/** @throws ModelChanged if the model has another newest version */
export async function requireNewest(queryable: Queryable, id: string, version: number): Promise<void> {
  const newest = (await findVersions(queryable, id))?.newest.version;
  if (newest !== undefined && newest !== version) throw modelChanged(id, newest);
}

/** The error for a change that was based on an older version than the newest. */
export function modelChanged(id: string, newest: number): ModelChanged {
  const message = `The model ${id} was changed meanwhile: look at version ${newest} first.`;
  return new ModelChanged([{ code: 'choice_unknown', message }]);
}

function noSuchModel(id: string): ModelMissing {
  return new ModelMissing([{ code: 'choice_unknown', message: `There is no model ${id}.` }]);
}
