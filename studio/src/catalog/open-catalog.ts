import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { listen } from '@renderkit/server-kit/db/notify.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { catalogChannel } from '../channels.ts';
import { type CatalogModel, catalogModel } from './catalog-model.ts';
import type { Plan } from './plans.ts';
import { readRevision, readVersionFiles } from './queries.ts';
import { type CatalogSnapshot, makeSnapshot } from './snapshot.ts';
import { readCatalog, readVersion } from './store.ts';

/** What is published, as this process last read it: at most two seconds old while the database answers. */
export type Catalog = {
  /** Everything as it was at one moment. Code that answers one request must call this once. */
  current: () => CatalogSnapshot;
  /** Returns a version of a model, published or not; `undefined` if there is none. `paused` is the model's. */
  version: (model: string, version: number) => Promise<CatalogModel | undefined>;
  /** Texts that a version's routes name. */
  files: (model: string, version: number) => Promise<ReadonlyMap<string, string>>;
  /** Returns an account's plan, even one that was published a moment ago. */
  plan: (key: string) => Promise<Plan>;
};

export type CatalogOptions = {
  database: Database;
  log: Logger;
  /** The prefix of a thumbnail's storage key; ends with a slash. Workers need none. */
  mediaUrl?: string;
};

/** A notification of a publication may get lost: every process learns of a publication within this time. */
const lookEveryMs = 1_000;
const maxCachedVersions = 500;

/**
 * Opens the catalog of this process and keeps it up to date. While the database is away, the last one read stays.
 * @throws if it cannot be read once
 */
export async function openCatalog({
  database,
  log,
  mediaUrl = '',
}: CatalogOptions): Promise<Catalog & AsyncDisposable> {
  let snapshot = await readSnapshot(database, mediaUrl);
  const refresh = async () => {
    const read = await readSnapshot(database, mediaUrl);
    // An older snapshot may arrive late.
    if (read.revision > snapshot.revision) snapshot = read;
  };
  const loop = startLoop({
    name: 'catalog',
    everyMs: lookEveryMs,
    maxPauseMs: lookEveryMs,
    log,
    run: async () => {
      try {
        if ((await readRevision(database)) > snapshot.revision) await refresh();
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        log.debug({ err: error }, 'the catalog could not be looked at; the last one read stays');
      }
    },
  });
  const ears = listen({
    url: database.url,
    channels: { [catalogChannel]: () => loop.wake() },
    log,
    onConnect: () => loop.wake(),
  });
  const cached = <Value>(read: (model: string, version: number) => Promise<Value | undefined>) => {
    const values = new Map<string, Value>();
    return async (model: string, version: number): Promise<Value | undefined> => {
      const key = `${version} ${model}`;
      const known = values.get(key) ?? (await read(model, version));
      if (known === undefined) return undefined;
      // The least recently used one is removed first.
      values.delete(key);
      values.set(key, known);
      const [oldest] = values.keys();
      if (values.size > maxCachedVersions && oldest !== undefined) values.delete(oldest);
      return known;
    };
  };
  const versions = cached((model, version) => readModel(database, model, version));
  const files = cached((model, version) => readVersionFiles(database, model, version));
  return {
    current: () => snapshot,
    version: async (model, version) => {
      const published = snapshot.models.get(model);
      if (published?.version === version) return published;
      const found = await versions(model, version);
      return found && { ...found, paused: published?.paused ?? null };
    },
    files: async (model, version) => (await files(model, version)) ?? new Map(),
    plan: async (key) => {
      if (!snapshot.plans.has(key)) await refresh();
      const plan = snapshot.plans.get(key);
      if (plan === undefined) throw new Error(`an account has the plan ${key}, which is not published`);
      return plan;
    },
    [Symbol.asyncDispose]: async () => {
      await ears[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
    },
  };
}

async function readModel(database: Database, id: string, version: number): Promise<CatalogModel | undefined> {
  const row = await readVersion(database, id, version);
  if (row === undefined) return undefined;
  const { manifest, thumbnail_key: thumbnailKey, sample_seconds: sampleSeconds } = row;
  return catalogModel(manifest, { version, thumbnailKey, sampleSeconds, paused: null });
}

async function readSnapshot(database: Database, mediaUrl: string): Promise<CatalogSnapshot> {
  const rows = await readCatalog(database);
  if (rows === undefined) throw new Error('the catalog has no revision');
  const { plans = [], styles = [], suggestions = [] } = rows.lists;
  return makeSnapshot(rows.revision, rows.models, { plans, styles, suggestions }, mediaUrl);
}
