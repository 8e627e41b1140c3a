import {
  type DriverTools,
  EngineFailure,
  type EngineResult,
  type FollowedJob,
} from '@renderkit/engine-kit/driver.ts';
import type { EnginePreview, EngineProgress } from '@renderkit/engine-kit/report.ts';
import { readWorkflow } from './assemble-graph.ts';
import type { ComfyApi, JobState, ServerFile } from './comfy-api.ts';
import type { ComfySocket, Listener } from './comfy-socket.ts';
import { JobProgress } from './job-progress.ts';
import { type Json, valueAt } from './json.ts';
import { filesInHistory, findResultFiles, planResults, saveFiles } from './results.ts';
import { endedWell, runFailure } from './run-failure.ts';

/** What is stored about a submission, to find it on its backend. */
export interface ComfyHandle {
  /** ComfyUI's id of the job. It is our id, except on servers that choose their own. */
  readonly promptId: string;
  /** The client id that the job was sent with; null if it is not known. */
  readonly clientId: string | null;
}

interface Followed {
  readonly handle: ComfyHandle;
  readonly job: FollowedJob;
  readonly api: ComfyApi;
  readonly socket: ComfySocket;
  readonly pollMs: DriverTools['pollMs'];
}

type News = EngineProgress | EnginePreview;

const defaultPollMs = { first: 500, quiet: 15_000 };
const growth = 1.5;

/**
 * Follows a job until it ends, and downloads its files. The history shows the outcome of the job. The socket only shows
 * progress and when to check: its success event may come before the history has the job, be lost, or never be sent to
 * us. If ComfyUI cannot be asked for a while, that is no news of the job; the caller then sees no sign of life. Time
 * limits of the job are enforced by `studio/src/renders/follow-job.ts`.
 */
export async function* followJob(
  followed: Followed,
  signal: AbortSignal,
): AsyncGenerator<News | EngineResult> {
  const { job, api } = followed;
  const plan = planResults(job, job.id, job.outputs);
  const end = yield* waitForEnd(followed, signal);
  const files = end.at === 'ended' ? filesInHistory(end.entry, plan) : end.files;
  // The history of a fully cached job may name no file, but its files are there.
  const found = files.length > 0 ? files : await findResultFiles(api, plan, signal);
  yield await saveFiles(api, found, { folder: job.folder, plan, signal });
}

type End = Extract<JobState, { at: 'ended' }> | { at: 'found'; files: ServerFile[] };

async function* waitForEnd(followed: Followed, signal: AbortSignal): AsyncGenerator<News, End> {
  const { handle, job, socket, pollMs: { first, quiet } = defaultPollMs } = followed;
  const news = new JobNews(new JobProgress(readWorkflow(job)), () => socket.hears(handle.clientId));
  using _listening = socket.listen(handle.promptId, news);
  for (let ms = first; ; ms = news.isWorthLook ? first : Math.min(quiet, ms * growth)) {
    news.isWorthLook = false;
    try {
      const end = await look(followed, news.progress, signal);
      if (end !== undefined) {
        news.progress.end();
        yield* news.take();
        return end;
      }
      news.sawLife();
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.code !== 'engine_unavailable') throw error;
    }
    yield* news.take();
    // A job whose events arrive needs only few checks.
    const until = performance.now() + (news.isHeard() && !news.hasEnded ? quiet : ms);
    while (!news.isWorthLook && performance.now() < until) {
      await news.wait(until - performance.now(), signal);
      yield* news.take();
    }
  }
}

/** Checks a job once. Returns undefined if the job goes on. */
async function look(
  { handle, job, api }: Followed,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<End | undefined> {
  const state = await api.find(handle.promptId, signal);
  if (state.at === 'pending') progress.wait(state.position);
  else if (state.at === 'running') progress.run();
  else if (state.at === 'ended') {
    if (endedWell(state.entry)) return state;
    throw runFailure(api.name, state.entry, job);
  } else {
    const files = await findResultFiles(api, planResults(job, job.id, job.outputs), signal);
    if (files.length > 0) return { at: 'found', files };
    const message = `${api.name} knows nothing of a job that it took: it was started anew, or its queue was cleared.`;
    throw new EngineFailure(message, { blame: 'backend', code: 'render_failed' });
  }
  return undefined;
}

const endEvents = new Set(['execution_success', 'execution_error', 'execution_interrupted']);

/**
 * Events of one job that were not yet passed on: only the newest of each kind, so that a slow reader keeps few of them.
 */
class JobNews implements Listener {
  readonly progress: JobProgress;
  readonly isHeard: () => boolean;
  isWorthLook = false;
  hasEnded = false;
  #preview: EnginePreview | undefined;
  #last = '';
  #wake: () => void = () => {};

  constructor(progress: JobProgress, isHeard: () => boolean) {
    this.progress = progress;
    this.isHeard = isHeard;
  }

  event(type: string, data: Json | undefined): void {
    this.progress.take(type, data);
    const isEnd = endEvents.has(type) || (type === 'executing' && valueAt(data, 'node') === null);
    if (isEnd && !this.hasEnded) {
      this.hasEnded = true;
      this.isWorthLook = true;
    }
    this.#wake();
  }

  preview(preview: Omit<EnginePreview, 'type'>): void {
    this.#preview = { type: 'preview', ...preview };
    this.#wake();
  }

  stir(what: 'queue' | 'connection'): void {
    if (what === 'queue' && this.isHeard()) return;
    this.isWorthLook = true;
    this.#wake();
  }

  /**
   * Waits until an event arrives or `ms` milliseconds have passed.
   *
   * @throws the signal's reason
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', this.#wake, { once: true });
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', this.#wake);
    signal.throwIfAborted();
  }

  /** Makes `take` repeat the last news even if they are unchanged, because ComfyUI answered. */
  sawLife(): void {
    this.#last = '';
  }

  /** Returns what is new since the last call. */
  *take(): Generator<News> {
    const { current } = this.progress;
    const text = JSON.stringify(current);
    if (text !== this.#last) yield current;
    this.#last = text;
    if (this.#preview !== undefined) yield this.#preview;
    this.#preview = undefined;
  }
}
