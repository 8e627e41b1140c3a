import type { ImportedModel, ModelSample } from '@renderkit/contract/studio/administration/models.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createMutex } from '@renderkit/server-kit/work/mutex.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { AccessOptions, DriverPool } from '../backends/driver-pool.ts';
import { StudioError } from '../errors.ts';
import { followSample, readSample, type StoppedSample } from '../renders/samples.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { checkTexts, findingsByMachines } from './ask-machines.ts';
import type { Asker } from './asker.ts';
import type { AdministrationHandlers } from './handler.ts';
import { bindModel, editModel, importModel, type ImportOptions } from './import-model.ts';
import { findModel, findVersion, requireFreshForCommands, showVersion } from './managed-models.ts';
import { ModelRefused } from './models.ts';
import { receiveImport } from './receive-import.ts';
import { beginSample, endSamples, priceOfSample } from './sample-model.ts';

export type DraftDependencies = AccessOptions &
  MediaStore & { drivers: DriverPool; mediaUrl: string; stopping: AbortSignal; log: Logger };

/** Time for a backend to answer an import: a machine that reloads its lists is slow. */
const askMs = 120_000;
/** Time for backends to report what they have. */
const checkMs = 30_000;
/** A sample that no backend has begun by then is given up. */
const sampleMs = 90 * 60_000;

/**
 * The operations of administrators on models before they are offered: drafts, their parameters, samples. Bindings that are
 * based on an older draft are refused by `requireNewest` in `models.ts`; a manifest may continue any version (decision 0061).
 */
export function draftHandlers(
  dependencies: DraftDependencies,
): Pick<
  AdministrationHandlers,
  | 'getModelVersion'
  | 'checkModelVersion'
  | 'importModel'
  | 'editModel'
  | 'bindParameters'
  | 'sampleModel'
  | 'getModelSample'
  | 'stopModelSample'
> {
  const { database, drivers, mediaUrl } = dependencies;
  // Each import holds its file in memory.
  const oneAtATime = createMutex();
  const optionsOf = ({ actor }: Asker): ImportOptions => ({
    database,
    media: dependencies,
    access: { secrets: dependencies.secrets, egressAllow: dependencies.egressAllow },
    actor,
    findingsOf: findingsByMachines(database, { drivers, withinMs: checkMs }),
    signal: AbortSignal.any([dependencies.stopping, AbortSignal.timeout(askMs)]),
  });
  return {
    getModelVersion: ({ params }) => showVersion(database, numbered(params), mediaUrl),
    checkModelVersion: async ({ params }) => {
      const { id, version } = numbered(params);
      const model = await findVersion(database, id, version);
      const found = await checkTexts(database, model, { drivers, withinMs: checkMs });
      return { id, version, ...found };
    },
    importModel: ({ query: { file_name: name, on, id, name: modelName }, request, asker }) =>
      oneAtATime(async () => {
        const bytes = await receiveImport(request.raw);
        return importModel({ name, bytes, on, id, modelName }, optionsOf(asker));
      }),
    editModel: async ({ params: { id }, body: { base_version: version, source }, asker }) => {
      const edited = await editModel({ id, version, source }, optionsOf(asker));
      return withSample(edited, { base: version, asker }, dependencies);
    },
    bindParameters: async ({ params: { id }, body: { base_version: asked, bindings }, asker }) => {
      const { newest_version: newest } = await findModel(database, id);
      const base = asked ?? newest;
      const bound = await bindModel({ id, base, bindings }, optionsOf(asker));
      return withSample(bound, { base, asker }, dependencies);
    },
    sampleModel: async ({ params: { id }, body: { version, may_cost: mayCost = false }, asker }) => {
      const { newest_version: newest } = await findModel(database, id);
      return startSample({ id, version: version ?? newest }, { mayCost, asker }, dependencies);
    },
    getModelSample: async ({ params }) => {
      const sample = await showSample(numbered(params), dependencies);
      if (sample === undefined)
        throw new StudioError('not_found', 'No sample of this version was ever asked for.');
      return sample;
    },
    stopModelSample: async ({ params: { id }, body: { version }, asker }) => {
      await findModel(database, id);
      return { id, stopped: await stopSamples(database, { id, version }, asker) };
    },
  };
}

async function stopSamples(
  database: Database,
  samples: { id: string; version: number | undefined },
  { actor }: Asker,
): Promise<StoppedSample[]> {
  try {
    return await endSamples(database, samples, actor);
  } catch (error) {
    if (!(error instanceof ModelRefused)) throw error;
    throw new StudioError('conflict', error.message, { cause: error });
  }
}

function numbered({ id, version }: { id: string; version: string }): { id: string; version: number } {
  return { id, version: Number(version) };
}

type Version = { id: string; version: number };

async function startSample(
  version: Version,
  { mayCost, asker }: { mayCost: boolean; asker: Asker },
  dependencies: DraftDependencies,
): Promise<ModelSample> {
  const { database, stopping, log } = dependencies;
  await requireFreshForCommands(database, version, asker);
  if (isUnderWay(await readSample(database, version)))
    throw new StudioError('conflict', 'A sample of this version is under way.');
  const begun = await beginSample(version, { mayCost }, dependencies);
  if ('outcome' in begun && begun.outcome === 'none') throw new StudioError('conflict', begun.reason);
  if ('render' in begun)
    // No caller waits for it here. `followSample` gives up a sample that nothing can make.
    void followSample(database, begun.render, {
      withinMs: sampleMs,
      onLook: () => undefined,
      signal: stopping,
    }).catch((error: unknown) => {
      if (!stopping.aborted) log.error({ err: error, ...version }, 'a sample is not followed any more');
    });
  const sample = await showSample(version, dependencies);
  if (sample === undefined) throw new Error('a sample that was begun is not there');
  return sample;
}

/**
 * Gives a draft a sample if it was made while a sample of the version before was being rendered. A draft that makes the
 * same shares that sample. Otherwise a new sample is begun, unless it would cost money or this administrator may not
 * begin it.
 */
async function withSample(
  made: ImportedModel,
  { base, asker }: { base: number; asker: Asker },
  dependencies: DraftDependencies,
): Promise<ImportedModel> {
  const { id, version, added, problems } = made;
  if (version === null || !added || problems.length > 0) return made;
  const { database, log } = dependencies;
  if (!isUnderWay(await readSample(database, { id, version: base }))) return made;
  if ((await readSample(database, { id, version })) !== undefined) return made;
  try {
    await startSample({ id, version }, { mayCost: false, asker }, dependencies);
  } catch (error) {
    if (!(error instanceof StudioError)) throw error;
    log.info({ err: error, id, version }, 'no sample of the draft is begun');
  }
  return made;
}

function isUnderWay(sample: { state: ModelSample['state'] } | undefined): boolean {
  return sample?.state === 'queued' || sample?.state === 'running';
}

/** Returns the sample of a version, `undefined` if none was ever requested. */
async function showSample(
  version: Version,
  { database, mediaUrl }: DraftDependencies,
): Promise<ModelSample | undefined> {
  // Reads the state first: the transaction that ends a sample also stores what it took, so that is there once the end
  // is seen.
  const known = await readSample(database, version);
  const { sample_seconds: seconds, thumbnail_key: key } = await findVersion(
    database,
    version.id,
    version.version,
  );
  if (known === undefined && seconds === null) return undefined;
  return {
    ...version,
    state: 'succeeded',
    reason: null,
    ...known,
    seconds,
    proposed_millicredits: seconds === null ? null : priceOfSample(seconds),
    thumbnail: key === null ? null : mediaUrl + key,
  };
}
