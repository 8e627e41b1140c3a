import type { KeyObject } from 'node:crypto';
import type { RenderStage } from '@renderkit/contract/studio/progress.ts';
import { type Engine, EngineError } from '@renderkit/engine-kit/engine.ts';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Claim } from '../backends/claim-queries.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { Reporter, type ReporterOptions } from '../progress/reporter.ts';
import { clearUp } from './clear-up.ts';
import {
  endSubmission,
  type FailedEnd,
  RenderStopped,
  stoppedEnd,
  type SubmissionEnd,
} from './end-submission.ts';
import { withMaterials } from './job-materials.ts';
import { persist } from './persist.ts';
import { storeOutput } from './store-output.ts';
import type { MadeAsset } from './store.ts';

export type DrawDependencies = Omit<ReporterOptions, 'log'> & {
  storage: BlobStorage;
  mediaKey: KeyObject;
  catalog: Catalog;
  /** Made by `engines/registry/src/open-engines.ts`. */
  engines: readonly Engine[];
  /** The name of this process in leases. */
  worker: string;
  leaseMs: number;
  /** Notifies the account's readers, after commit. */
  announce: (account: string) => void;
  log: Logger;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
};

/**
 * Makes a submission of a local engine, in this worker's processes. Nothing of it outlives its worker: a submission
 * that was taken over counts as a failed try, and the render waits for another try.
 * @param stopping raised when the worker stops: the submission is given back. With the reason `RenderStopped` the
 *   render ends. `onNext` is called with the render's next job as soon as its row exists, so that its lease is renewed
 */
export async function drawSubmission(
  claim: Claim,
  isTakenOver: boolean,
  { stopping, onNext }: { stopping: AbortSignal; onNext: (next: Claim) => void },
  dependencies: DrawDependencies,
): Promise<void> {
  const { database, catalog, worker, leaseMs, crashPoint } = dependencies;
  const model = await catalog.version(claim.model_id, claim.version);
  const maxPerJob = model?.routes[claim.route]?.outputs.max_per_job ?? 1;
  const end = isTakenOver ? lostEnd : await drawOutputs(claim, stopping, dependencies);
  const ended = await persist(
    () => endSubmission(database, claim, end, { worker, leaseMs, maxPerJob }),
    stopping,
  );
  if (ended.next === 'job') onNext(ended.claim);
  await crashPoint?.('render: finished');
  await clearUp(claim, ended, dependencies);
  if (ended.next === 'job') await drawSubmission(ended.claim, false, { stopping, onNext }, dependencies);
}

const failed = { type: 'failed', final: false, unknown: false } as const;
const lostEnd: FailedEnd = {
  ...failed,
  blame: null,
  assets: [],
  reason: null,
  error: { code: 'render_lost', message: 'The render was lost several times and given up.' },
};

async function drawOutputs(
  claim: Claim,
  stopping: AbortSignal,
  dependencies: DrawDependencies,
): Promise<SubmissionEnd> {
  const { log, crashPoint } = dependencies;
  const begun = performance.now();
  const made: Made = { assets: [], stage: 'waiting_for_engine' };
  const { assets } = made;
  try {
    await crashPoint?.('render: started');
    await draw(claim, made, stopping, dependencies);
    await crashPoint?.('render: drawn');
    return { type: 'made', assets, cost: null, seconds: (performance.now() - begun) / 1_000 };
  } catch (error) {
    if (stopping.reason instanceof RenderStopped) return stoppedEnd(assets, false);
    if (stopping.aborted) return { type: 'given_back', excused: false };
    const { render_id: render, attempt } = claim;
    log.warn({ err: error, render, attempt }, 'a try at a render failed');
    if (isOutOfSpace(error)) return { type: 'given_back', excused: true };
    const final = error instanceof EngineError && error.code !== 'render_failed';
    return {
      ...failed,
      blame: final ? 'render' : null,
      final,
      assets,
      reason: error instanceof Error ? error.message : null,
      error: {
        ...(final
          ? { code: error.code, message: error.message }
          : { code: 'render_failed', message: 'The engine could not finish this render.' }),
        stage: made.stage,
      },
    };
  }
}

/** What a job has made so far, and its stage. */
type Made = { assets: MadeAsset[]; stage: RenderStage };

/** Draws into `made`, output by output, so that what was finished before a failure is kept. */
async function draw(
  claim: Claim,
  made: Made,
  stopping: AbortSignal,
  dependencies: DrawDependencies,
): Promise<void> {
  const { catalog, engines } = dependencies;
  const model = await catalog.version(claim.model_id, claim.version);
  const route = model?.routes[claim.route];
  const engine = engines.find(({ id }) => id === route?.engine);
  if (model === undefined || route === undefined || engine === undefined)
    throw new EngineError('unknown_model', 'The model is no longer offered.');
  await using reporter = new Reporter(dependencies, claim, model.offered.nsfw);
  const report: Report = (event) => {
    if (event.type === 'progress') made.stage = event.stage;
    reporter.report(event);
  };
  report({ type: 'progress', stage: 'rendering', fraction: null });
  const sources = { ...dependencies, snapshot: catalog.current() };
  await withMaterials({ claim, model, route }, sources, async ({ asked }) => {
    const request = { ...asked, engineModel: route.model ?? '', outputs: claim.outputs };
    for await (const file of engine.render(request, stopping, report)) {
      stopping.throwIfAborted();
      const placed = { ...file, index: claim.first_output + file.index };
      const stored = { id: claim.render_id, attempt: claim.attempt };
      const { assets } = made;
      if (assets.length + 1 === claim.outputs) reporter.storing(assets.length);
      const about = { nsfw: model.offered.nsfw, seed: Number(asked.seed) };
      made.stage = 'storing';
      assets.push(await storeOutput(stored, placed, about, dependencies));
      made.stage = 'rendering';
    }
  });
}
