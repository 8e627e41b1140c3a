import { type Lane, lanes } from '@renderkit/contract/studio/kinds.ts';
import { engineNames } from '@renderkit/engine-kit/route.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import {
  type Claim,
  claimRender,
  findServed,
  findTaken,
  releaseLeases,
  renewLeases,
  type ServedBackend,
  takeOver,
} from '../backends/claim-queries.ts';
import { createDriverFor } from '@renderkit/engine-registry/drivers.ts';
import { findDrained } from '../backends/rest-queries.ts';
import { adoptRenders } from './adopt-renders.ts';
import { RenderStopped } from './end-submission.ts';
import { findStopped } from './submission-store.ts';
import { drawSubmission, type DrawDependencies } from './draw-submission.ts';
import type { SubmissionDependencies } from './job.ts';
import { runSubmission } from './run-submission.ts';

/** A killed worker's submissions are taken over within this time plus one second. */
const initialLeaseMs = 10_000;
const lookEveryMs = 1_000;
const takenOverAtOnce = 20;
/** Jobs at backends behind addresses that one process follows. */
const maxFollowed = 1_000;
/** Time for a stopping worker to finish what it is drawing. */
const stopWithinMs = 8_000;

export type ClaimsOptions = Omit<DrawDependencies & SubmissionDependencies, 'worker' | 'leaseMs'> & {
  /** Renders that this process draws at once, in each lane. */
  slotsPerLane: number;
  /** Names or labels of the engines on its own machine that this process serves; none: all. */
  labels: readonly string[];
  leaseMs?: number;
};

type Held = {
  /** The id of the current job: a render with several jobs continues with the next one. */
  id: string;
  backend: string;
  lane: Lane;
  isDrawn: boolean;
  stop: AbortController;
  drain: AbortController;
  done: Promise<void>;
};

/**
 * Claims renders for the local engines of this process and for backends behind addresses, and runs them. A notification
 * of new renders wakes it, and it looks once a second. `studio/sql/functions/claim_render.sql` decides which render is
 * next. Renews the leases of all its submissions in one statement, and takes over the submissions of dead workers.
 * Disposing gives what is being drawn a few seconds to end; what is not done then returns to the queue
 * (`draw-submission.ts`). It releases the jobs at backends, which other workers then follow.
 */
export function startClaims(
  options: ClaimsOptions,
): AsyncDisposable & { wake: () => void; count: () => number } {
  const { database, log, engines, slotsPerLane, labels, leaseMs = initialLeaseMs } = options;
  const dependencies = { ...options, worker: newId('wrk_'), leaseMs };
  const { worker } = dependencies;
  const drawing = engines.map(({ id }) => id);
  const spoken = engineNames.filter((engine) => createDriverFor(engine) !== undefined);
  const held = createHeld(dependencies, drawing, () => claims.wake());
  /**
   * After the database was unreachable, this process takes nothing over for a while: the other workers must renew their
   * leases first.
   */
  let unreachableAt = Number.NEGATIVE_INFINITY;

  /** Null: every lane. */
  const freeLanes = ({ name, engine, own_slots: slots }: ServedBackend): readonly Lane[] | null => {
    if (drawing.includes(engine)) return lanes.filter((lane) => held.countDrawn(lane) < slotsPerLane);
    const hasRoom = slots === null ? held.countFollowed() < maxFollowed : held.countAt(name) < slots;
    return hasRoom ? null : [];
  };
  const claimFor = async (backend: ServedBackend, stopping: AbortSignal) => {
    while (!stopping.aborted) {
      const free = freeLanes(backend);
      if (free?.length === 0) return;
      const claim = await claimRender(database, { backend: backend.name, worker, leaseMs, lanes: free });
      if (claim === undefined) return;
      held.run(claim, false);
    }
  };
  const reaching = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      unreachableAt = performance.now();
      throw error;
    }
  };
  const claims = startLoop({
    name: 'claims',
    everyMs: lookEveryMs,
    maxPauseMs: lookEveryMs,
    log,
    run: (stopping) =>
      reaching(async () => {
        const backends = await findServed(database, { engines: [...drawing, ...spoken], labels });
        await adoptRenders(dependencies);
        const names = backends.map(({ name }) => name);
        const asked = { backends: names, worker, leaseMs, held: held.ids(), atMost: takenOverAtOnce };
        if (performance.now() - unreachableAt >= leaseMs)
          for (const claim of await takeOver(database, asked)) held.run(claim, true);
        for (const backend of backends) if (backend.has_room) await claimFor(backend, stopping);
        if (held.count() === 0) return;
        if (backends.some((backend) => backend.is_drained))
          held.drain(await findDrained(database, worker), new Error('the backend is drained'));
        held.drain(await findStopped(database, worker), new RenderStopped('the render was stopped'));
      }),
  });
  const renewals = startLoop({
    name: 'submission leases',
    everyMs: leaseMs / 4,
    maxPauseMs: leaseMs / 4,
    log,
    run: () => reaching(() => held.renew()),
  });
  return {
    wake: () => claims.wake(),
    count: () => held.count(),
    [Symbol.asyncDispose]: async () => {
      await claims[Symbol.asyncDispose]();
      await held.stop();
      await renewals[Symbol.asyncDispose]();
      await releaseLeases(database, worker).catch(() => undefined);
    },
  };
}

/** Keeps the submissions that this process runs. */
function createHeld(
  dependencies: DrawDependencies & SubmissionDependencies,
  drawing: readonly string[],
  onFree: () => void,
) {
  const { log, leaseMs } = dependencies;
  const held = new Map<string, Held>();
  let renewedAt = performance.now();
  const all = () => [...held.values()];
  const isGone = new Error('another worker took the submission over');
  const isStale = new Error('the lease could not be renewed');
  return {
    count: () => held.size,
    ids: () => [...held.keys()],
    drain: (ids: readonly string[], reason: Error) => {
      for (const id of ids) held.get(id)?.drain.abort(reason);
    },
    countDrawn: (lane: Lane) => all().filter((one) => one.isDrawn && one.lane === lane).length,
    countFollowed: () => all().filter(({ isDrawn }) => !isDrawn).length,
    countAt: (backend: string) => all().filter((one) => one.backend === backend).length,
    run: (claim: Claim, isTakenOver: boolean) => {
      tell(claim, isTakenOver, log);
      const stop = new AbortController();
      const isDrawn = drawing.includes(claim.backend);
      const drain = new AbortController();
      const onNext = (next: Claim) => {
        held.delete(entry.id);
        entry.id = next.id;
        held.set(next.id, entry);
      };
      const done = carry(claim, { isTakenOver, isDrawn, stop, drain, onNext }, dependencies)
        .catch((error: unknown) => {
          if (!stop.signal.aborted)
            log.error({ err: error, submission: entry.id }, 'a submission was dropped');
        })
        .finally(() => {
          held.delete(entry.id);
          onFree();
        });
      const { id, backend, lane } = claim;
      const entry: Held = { id, backend, lane, isDrawn, stop, drain, done };
      held.set(id, entry);
    },
    renew: async () => {
      const ids = [...held.keys()];
      try {
        const taken = ids.length === 0 ? [] : await renewOrFindTaken(ids, dependencies);
        renewedAt = performance.now();
        for (const id of taken) held.get(id)?.stop.abort(isGone);
      } catch (error) {
        // A job at a backend must end before another worker may send it. What is drawn here does no harm.
        if (performance.now() - renewedAt > leaseMs / 2)
          for (const { isDrawn, stop } of held.values()) if (!isDrawn) stop.abort(isStale);
        throw error;
      }
    },
    stop: async () => {
      const isStopping = new Error('the worker stops');
      for (const { isDrawn, stop } of held.values()) if (!isDrawn) stop.abort(isStopping);
      const late = setTimeout(() => {
        for (const { stop } of held.values()) stop.abort(isStopping);
      }, stopWithinMs);
      await Promise.all(all().map(({ done }) => done));
      clearTimeout(late);
    },
  };
}

function tell(
  { id, render_id: render, token, backend, request }: Claim,
  isTakenOver: boolean,
  log: Logger,
): void {
  log.info(
    { request_id: request?.request_id, token, render, submission: id, backend },
    isTakenOver ? 'a submission is taken over' : 'a submission is begun',
  );
}

/** Carries a submission, and the further jobs of its render, to the end. */
function carry(
  claim: Claim,
  held: Pick<Held, 'isDrawn' | 'stop' | 'drain'> & { isTakenOver: boolean; onNext: (next: Claim) => void },
  dependencies: DrawDependencies & SubmissionDependencies,
): Promise<void> {
  const { isDrawn, isTakenOver, stop, drain, onNext } = held;
  if (!isDrawn)
    return runSubmission(claim, { signal: stop.signal, draining: drain.signal, onNext }, dependencies);
  const stopping = AbortSignal.any([stop.signal, drain.signal]);
  return drawSubmission(claim, isTakenOver, { stopping, onNext }, dependencies);
}

/** Renews these leases. Returns the ids of those that another worker has by now. */
async function renewOrFindTaken(
  ids: readonly string[],
  {
    database,
    worker,
    leaseMs,
  }: Pick<SubmissionDependencies, 'worker' | 'leaseMs'> & Pick<ClaimsOptions, 'database'>,
): Promise<string[]> {
  const renewed = await renewLeases(database, { ids, worker, leaseMs });
  // A submission that has just ended is not renewed either, and its worker goes on with the next job of the render.
  const others = ids.filter((id) => !renewed.has(id));
  return others.length === 0 ? [] : findTaken(database, { ids: others, worker });
}
