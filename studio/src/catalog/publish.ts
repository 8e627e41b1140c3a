import { hash } from 'node:crypto';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { type AdminActor, writeAdminAudit } from '../audit/admin-audit.ts';
import { catalogChannel } from '../channels.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import type { ImportFindings } from '@renderkit/manifests/parameters.ts';
import { folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { claimHeldFolder } from '../storage/orphan-folders.ts';
import type { Plan } from './plans.ts';
import { growRevision, lockCatalog } from './queries.ts';
import { routeRow } from './route-row.ts';
import type { CatalogLists } from './snapshot.ts';
import {
  findModelRow,
  findPrice,
  findPlansInUse,
  findPublishedList,
  findVersionByDigest,
  insertList,
  insertVersion,
  lockSample,
  notifyCatalog,
  updateAccountsOfPlans,
  updateDraft,
  updatePause,
  updatePublished,
  updateRevived,
} from './store.ts';

/** Something cannot be published. The message is a sentence for an operator. */
export class PublishError extends Error {
  override name = 'PublishError';
}

/** A model as read from its files. */
export type ModelFiles = {
  /** Checked and complete. */
  manifest: Manifest;
  /** The manifest as it was written. */
  source: string;
  /** Texts by the names that the manifest gives. */
  files: Readonly<Record<string, string>>;
  /** The image that the manifest names as its thumbnail, if it was read from a file and is not stored yet. */
  image?: { name: string; bytes: Uint8Array };
  /** Storage key of the manifest's own thumbnail, which is part of the content. */
  thumbnailKey?: string | undefined;
  /** What an import found in its workflow. Not part of the content. */
  imported?: ImportFindings | null;
  /**
   * A version that makes the same images: this model shares its sample, finished or in progress. Not part of the
   * content.
   */
  sameAs?: number;
};

/**
 * Runs changes of the catalog in one transaction and has every process read the catalog again after the commit. Changes
 * of two callers never interleave.
 */
export async function withCatalog<T>(
  database: Database,
  act: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const result = await database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    return act(transaction);
  });
  // If a notification gets lost, the readers notice the change by their own looks, one a second.
  await notifyCatalog(database, catalogChannel).catch(() => undefined);
  return result;
}

// The functions below run in a transaction of `withCatalog`. Each writes its entry in the administration's audit.

/**
 * Adds a version of a model and returns its number. If a version with the same content exists, adds none and returns
 * the number of that one.
 */
export async function addVersion(
  transaction: Transaction,
  model: ModelFiles,
  actor: AdminActor,
): Promise<{ version: number; added: boolean }> {
  const { manifest, source, files, thumbnailKey, sameAs, imported = null } = model;
  const digest = digestOfModel(model);
  const known = await findVersionByDigest(transaction, manifest.id, digest);
  if (known !== undefined) return { version: known, added: false };
  const routes = manifest.routes.map((route, index) => routeRow(route, index, files));
  const sample = sameAs === undefined ? undefined : await lockSample(transaction, manifest.id, sameAs);
  const version = await insertVersion(transaction, {
    digest,
    manifest,
    source,
    files,
    thumbnailKey: thumbnailKey ?? (manifest.thumbnail === null ? sample?.thumbnail_key : null) ?? null,
    sampleSeconds: sample?.sample_seconds ?? null,
    sameAs: sample?.same_as ?? null,
    imported,
    routes,
  });
  if (thumbnailKey !== undefined) await claimHeldFolder(transaction, folderOf(thumbnailKey));
  await writeAdminAudit(transaction, actor, {
    action: 'model.version_added',
    subject: `model:${manifest.id}`,
    after: { version },
  });
  return { version, added: true };
}

/**
 * Changes a draft in place if nobody was ever offered it and no other version has the new content; otherwise adds a new
 * version. Returns the number of the version with the new content. Workflows stay.
 */
export async function amendDraft(
  transaction: Transaction,
  version: number,
  model: ModelFiles,
  actor: AdminActor,
): Promise<number> {
  const { manifest, source } = model;
  const digest = digestOfModel(model);
  const isAmended =
    (await findVersionByDigest(transaction, manifest.id, digest)) === undefined &&
    (await updateDraft(transaction, version, { digest, manifest, source }));
  if (!isAmended) return (await addVersion(transaction, model, actor)).version;
  await writeAdminAudit(transaction, actor, {
    action: 'model.draft_changed',
    subject: `model:${manifest.id}`,
    after: { version },
  });
  return version;
}

/**
 * Offers a version of a model, which may be an older one; without a number the newest. Returns its number. The callers
 * check before whether the model has problems: `publishModel` in `studio/src/administration/models.ts`, `offerVersion`
 * in `managed-models.ts` beside it, `read-files.ts` for files.
 * @throws PublishError if there is none
 */
export async function publishModel(
  transaction: Transaction,
  id: string,
  wanted: number | undefined,
  actor: AdminActor,
): Promise<number> {
  const row = await findModelRow(transaction, id);
  if (row === undefined) throw new PublishError(`There is no model ${id}.`);
  const version = wanted ?? row.newest_version;
  if (version === row.published_version) return version;
  if (!(await updatePublished(transaction, id, version)))
    throw new PublishError(`The model ${id} has no version ${version}: its newest is ${row.newest_version}.`);
  await growRevision(transaction);
  await writeAdminAudit(transaction, actor, {
    action: 'model.published',
    subject: `model:${id}`,
    before: await offerOf(transaction, id, row.published_version),
    after: await offerOf(transaction, id, version),
  });
  return version;
}

/** Returns the facts of an offer that the audit shows. */
async function offerOf(transaction: Transaction, id: string, version: number | null): Promise<object> {
  const price = version === null ? undefined : await findPrice(transaction, id, version);
  return { version, ...(price !== undefined && { price }) };
}

/**
 * Takes a model off the list, or drops one that was never offered. What was quoted is still made.
 * @throws PublishError if there is no such model, or if it is retired already
 */
export async function retireModel(transaction: Transaction, id: string, actor: AdminActor): Promise<void> {
  const row = await findModelRow(transaction, id);
  if (row === undefined) throw new PublishError(`There is no model ${id}.`);
  if (row.is_retired) throw new PublishError(`The model ${id} is retired already.`);
  await updatePublished(transaction, id, null);
  await growRevision(transaction);
  await writeAdminAudit(transaction, actor, {
    action: 'model.retired',
    subject: `model:${id}`,
    before: await offerOf(transaction, id, row.published_version),
    after: { version: null },
  });
}

/** Makes a retired model a draft again, because somebody has added it anew. */
export async function reviveModel(transaction: Transaction, id: string, actor: AdminActor): Promise<void> {
  if (!(await updateRevived(transaction, id))) return;
  await writeAdminAudit(transaction, actor, {
    action: 'model.revived',
    subject: `model:${id}`,
    before: { state: 'retired' },
    after: { state: 'draft' },
  });
}

/**
 * Pauses a model that is on offer: new renders are refused, accepted ones are still made. The pause lasts, whatever is
 * published, until a `null` reason ends it.
 * @throws PublishError if the model is not offered
 */
export async function changePause(
  transaction: Transaction,
  id: string,
  reason: string | null,
  actor: AdminActor,
): Promise<void> {
  const row = await findModelRow(transaction, id);
  if (row === undefined || row.published_version === null)
    throw new PublishError(`There is no model ${id} on offer.`);
  if (row.pause_asked === reason) return;
  await updatePause(transaction, id, reason);
  await growRevision(transaction);
  await writeAdminAudit(transaction, actor, {
    action: reason === null ? 'model.resumed' : 'model.paused',
    subject: `model:${id}`,
    before: { reason: row.pause_asked },
    after: { reason },
  });
}

/**
 * Publishes a whole list. Content that is published already makes no new version. In the same transaction accounts get
 * what their plans grant. `basedOn`: the version that the list was made from.
 * @throws PublishError if the list lacks a plan that accounts have, or if another version than `basedOn` is published
 */
export async function publishList<Name extends keyof CatalogLists>(
  transaction: Transaction,
  name: Name,
  content: CatalogLists[Name],
  actor: AdminActor,
  basedOn?: number,
): Promise<{ version: number; changed: boolean }> {
  const before = await findPublishedList(transaction, name);
  if (basedOn !== undefined && before !== undefined && before.version !== basedOn)
    throw new PublishError(
      `The ${name} were published anew meanwhile, as version ${before.version}: look at those first.`,
    );
  const digest = digestOf(content);
  if (before?.digest === digest) return { version: before.version, changed: false };
  const version = await insertList(transaction, name, { digest, content });
  if (name === 'plans')
    await putPlansInForce(transaction, before?.content as Plan[], content as readonly Plan[]);
  await growRevision(transaction);
  await writeAdminAudit(transaction, actor, {
    action: `${name}.published`,
    subject: name,
    before: { version: before?.version ?? null, ...(before && changedEntries(before.content, content)) },
    after: { version, ...(before && changedEntries(content, before.content)) },
  });
  return { version, changed: true };
}

/** Returns the entries of a list that the other list lacks or has in another form: what a publication changed. */
function changedEntries(list: unknown, other: unknown): { changed: unknown[] } {
  const known = new Set((other as unknown[]).map((entry) => JSON.stringify(entry)));
  return { changed: (list as unknown[]).filter((entry) => !known.has(JSON.stringify(entry))) };
}

async function putPlansInForce(
  transaction: Transaction,
  before: readonly Plan[] = [],
  plans: readonly Plan[],
): Promise<void> {
  const kept = new Set(plans.map(({ key }) => key));
  const removed = before.map(({ key }) => key).filter((key) => !kept.has(key));
  const inUse = await findPlansInUse(transaction, removed);
  if (inUse.length > 0)
    throw new PublishError(
      `Accounts have the ${inUse.length === 1 ? 'plan' : 'plans'} ${inUse.join(', ')}, which the list lacks: give them another first.`,
    );
  await updateAccountsOfPlans(transaction, plans);
}

export function digestOfModel({ manifest, files, thumbnailKey }: ModelFiles): string {
  return digestOf({
    manifest,
    files: Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)),
    ...(thumbnailKey !== undefined && { thumbnailKey }),
  });
}

/** Returns the digest in hex. The order of keys counts: in places it has a meaning. */
export function digestOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'hex');
}
