import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AdminActor, writeAdminAudit } from '../audit/admin-audit.ts';
import { catalogModel } from '../catalog/catalog-model.ts';
import { planSample, sampleRequest } from '../renders/sample-request.ts';
import {
  followSample,
  type SampleProgress,
  startSample,
  type StoppedSample,
  stopSamples,
} from '../renders/samples.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { countLiveWorkers } from '../workers/heartbeat.ts';
import { findVersion, ModelRefused, versionsOf } from './models.ts';
import { hasBackend, type StoredVersion } from './store.ts';

export type Sample =
  /** Seconds of the whole generation. `with_loading`: weights were loaded for it. `is_new`: this call made it. */
  | { outcome: 'made'; seconds: number; with_loading: boolean; is_new: boolean }
  /** In an operator's words. */
  | { outcome: 'failed'; reason: string }
  /** No sample was begun, because it would be of no use. The reason is a sentence. */
  | { outcome: 'none'; reason: string };

export type SampleOptions = {
  /** A paid provider may make it. */
  mayCost: boolean;
  /** The prompt; by default a scene that any model can draw. */
  prompt?: string | undefined;
  withinMs: number;
  onLook: (at: SampleProgress) => void;
  signal: AbortSignal;
};

/**
 * Has a version of a model make one generation, as a user would get it, and waits for it. Its image is the version's
 * thumbnail from then on (`studio/sql/functions/keep_sample.sql`). A version that has a sample keeps it.
 * @throws ModelRefused if there is no such version
 */
export async function sampleModel(
  { id, version }: { id: string; version: number },
  options: SampleOptions,
  storage: MediaStore,
): Promise<Sample> {
  const begun = await beginSample({ id, version }, options, storage);
  if ('outcome' in begun) return begun;
  const end = await followSample(storage.database, begun.render, options);
  return end.made
    ? { outcome: 'made', seconds: end.seconds, with_loading: end.withLoading, is_new: true }
    : { outcome: 'failed', reason: end.reason };
}

/**
 * Like `sampleModel`, without waiting. Returns the render that was begun, or why none is needed or possible.
 * @throws ModelRefused if there is no such version
 */
export async function beginSample(
  { id, version }: { id: string; version: number },
  options: Pick<SampleOptions, 'mayCost' | 'prompt'>,
  storage: MediaStore,
): Promise<{ render: string } | Extract<Sample, { outcome: 'made' | 'none' }>> {
  const { database } = storage;
  const stored = await findVersion(database, id, version);
  if (stored.sample_seconds !== null)
    return { outcome: 'made', seconds: stored.sample_seconds, with_loading: false, is_new: false };
  const plan = planSample(stored.manifest, options);
  if ('impossible' in plan) return { outcome: 'none', reason: plan.impossible };
  const absent = await whyNobody(stored, id, storage);
  if (absent !== undefined) return { outcome: 'none', reason: absent };
  const model = catalogModel(stored.manifest, {
    version,
    thumbnailKey: null,
    sampleSeconds: null,
    paused: null,
  });
  const request = await sampleRequest({ shape: plan.shape, prompt: options.prompt }, model, storage);
  const render = await startSample(database, model, { request, mayCost: options.mayCost });
  return render === undefined ? { outcome: 'none', reason: `The model ${id} is retired.` } : { render };
}

/**
 * Ends the samples of a model that are in progress, of one version or of all.
 * @throws ModelRefused if there are none
 */
export async function endSamples(
  database: Database,
  { id, version }: { id: string; version?: number | undefined },
  actor: AdminActor,
): Promise<StoppedSample[]> {
  await versionsOf(database, id);
  return database.transaction(async (transaction) => {
    const stopped = await stopSamples(transaction, { id, version });
    if (stopped.length === 0)
      throw new ModelRefused([{ code: 'choice_unknown', message: `No sample of ${id} is under way.` }]);
    await writeAdminAudit(transaction, actor, {
      action: 'model.sample_stopped',
      subject: `model:${id}`,
      after: { versions: stopped.map((one) => one.version) },
    });
    return stopped;
  });
}

/** Returns why no worker would ever claim the sample; `undefined` if one may. */
async function whyNobody(
  { version, manifest }: StoredVersion,
  id: string,
  { database }: MediaStore,
): Promise<string | undefined> {
  if (!(await hasBackend(database, id, version))) {
    const wanted = [...new Set(manifest.routes.flatMap(({ on }) => on))].join(' or ');
    return `There is no backend ${wanted} yet.`;
  }
  if ((await countLiveWorkers(database)) === 0) return 'No worker runs.';
  return undefined;
}

/**
 * Turns the seconds of a sample into a price: a credit for each ten seconds, in tenths, and one credit at least. In
 * 1/1000 credit.
 */
export function priceOfSample(seconds: number): number {
  return Math.max(1_000, Math.ceil(seconds) * 100);
}
