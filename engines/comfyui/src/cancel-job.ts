import { setTimeout as sleep } from 'node:timers/promises';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { ComfyApi, JobState } from './comfy-api.ts';
import { endedWell } from './run-failure.ts';

/** Since this version `/interrupt` ends only the job with the given id. Older versions end whichever job runs. */
const targetedInterruptSince = [0, 3, 57] as const;
/** Number of checks whether an interrupted job has ended. A job ends between two steps. */
const maxLooks = 10;

type Cancellation = 'canceled' | 'too_late' | 'unknown';

/**
 * Ends one job and no other. A waiting job is taken out of the queue, a running job is interrupted by its id. On
 * servers that cannot interrupt by id, a running job goes on (`too_late`). Returns `unknown` also if ComfyUI cannot be
 * asked.
 */
export async function cancelJob(
  api: ComfyApi,
  id: string,
  options: { lookMs: number; signal: AbortSignal },
): Promise<Cancellation> {
  try {
    return await endJob(api, id, options);
  } catch (error) {
    if (error instanceof EngineFailure) return 'unknown';
    throw error;
  }
}

async function endJob(
  api: ComfyApi,
  id: string,
  { lookMs, signal }: { lookMs: number; signal: AbortSignal },
): Promise<Cancellation> {
  if ((await api.cancelJob(id, signal)) === undefined) {
    await api.dequeue(id, signal);
    const state = await api.find(id, signal);
    if (state.at !== 'running') return meaningOf(state);
    if (!(await api.isVersionFrom(targetedInterruptSince, signal))) return 'too_late';
    await api.interrupt(id, signal);
  }
  for (let look = 1; ; look += 1) {
    const state = await api.find(id, signal);
    if (state.at !== 'running' || look === maxLooks) return meaningOf(state);
    await sleep(lookMs * look, undefined, { signal });
  }
}

function meaningOf(state: JobState): Cancellation {
  if (state.at === 'absent') return 'canceled';
  if (state.at !== 'ended') return 'unknown';
  return endedWell(state.entry) ? 'too_late' : 'canceled';
}
