import { setTimeout as sleep } from 'node:timers/promises';
import { maxWatchedRenders, type RenderProgress } from '@renderkit/contract/studio/progress.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';

/** A render at the studio: its token is the generation's id. */
export type AtStudio = { id: string; studioAccountId: string };

type Watched = AtStudio & { known: RenderProgress | undefined; wantsBytes: () => boolean };

const waitSeconds = 20;
/** Milliseconds for which new renders are gathered into one call. */
const gatherMs = 100;
const pauses = { initialMs: 250, maxMs: 3_000 };
/** A studio that does not offer progress is asked again after this time. */
const notOfferedMs = 60_000;

/**
 * Asks the studio for the progress of renders: one long poll for all watched renders, and single looks. If the studio
 * does not offer progress, the progress is unknown and nothing else fails. The studio computes the progress in
 * `studio/src/progress/watch-progress.ts`.
 */
export class StudioProgress implements AsyncDisposable {
  readonly #studioClient: Pick<StudioClient, 'call'>;
  readonly #log: Logger;
  readonly #watched = new Map<string, Watched>();
  readonly #stopping = new AbortController();
  readonly #look: (one: AtStudio & { bytes: boolean }) => Promise<RenderProgress | undefined>;
  readonly #running: Promise<void>;
  readonly #onProgress: (id: string, progress: RenderProgress) => void;
  #call: AbortController | undefined;
  #joining: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #isAway = false;
  #offeredAt = Number.NEGATIVE_INFINITY;
  #isOffered = true;

  constructor(options: {
    studioClient: Pick<StudioClient, 'call'>;
    log: Logger;
    onProgress: (id: string, progress: RenderProgress) => void;
  }) {
    this.#studioClient = options.studioClient;
    this.#log = options.log;
    this.#onProgress = options.onProgress;
    this.#look = createBatcher({
      run: (all) => this.#lookAt(all),
      maxSize: 200,
      maxInFlight: 2,
      isHopeless: () => true,
    });
    this.#running = this.#run();
  }

  /** Whether the studio failed to answer the last call. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Reports the progress of a render from now on. `wantsBytes` returns whether previews must include their bytes. */
  watch(render: AtStudio, wantsBytes: () => boolean): void {
    if (this.#watched.has(render.id)) return;
    this.#watched.set(render.id, { ...render, known: undefined, wantsBytes });
    this.#wake?.();
    this.#joining ??= setTimeout(() => {
      this.#joining = undefined;
      this.#call?.abort();
    }, gatherMs);
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
  }

  /** Returns the last progress of a watched render. */
  known(id: string): RenderProgress | undefined {
    return this.#watched.get(id)?.known;
  }

  /** Returns the current progress of one render; undefined where the studio does not report it. */
  async look(render: AtStudio, options: { bytes: boolean }): Promise<RenderProgress | undefined> {
    return this.#look({ ...render, ...options }).catch((error: unknown) => {
      this.#failed(error);
      return undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('progress is no longer read'));
    clearTimeout(this.#joining);
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const stopping = this.#stopping.signal;
    for (let pauseMs = pauses.initialMs; !stopping.aborted;) {
      if (this.#watched.size === 0) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      this.#call = new AbortController();
      const signal = AbortSignal.any([this.#call.signal, stopping]);
      try {
        if (!(await this.#poll(signal))) await sleep(notOfferedMs, undefined, { signal: stopping });
        pauseMs = pauses.initialMs;
      } catch (error) {
        if (signal.aborted) continue;
        this.#failed(error);
        await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
        pauseMs = Math.min(pauses.maxMs, 2 * pauseMs);
      }
    }
  }

  /**
   * Asks for the watched renders and passes on their progress. Returns false where the studio does not offer progress.
   */
  async #poll(signal: AbortSignal): Promise<boolean> {
    if (!(await this.#offers())) return false;
    const { renders, ended } = await this.#ask(this.#next(), signal);
    this.#isAway = false;
    // The feed reports how these renders ended.
    for (const { token } of ended) this.#watched.delete(token);
    for (const progress of renders) {
      const watched = this.#watched.get(progress.token);
      if (watched === undefined) continue;
      watched.known = withKnownBytes(progress, watched.known);
      this.#onProgress(progress.token, watched.known);
    }
    return true;
  }

  /** Returns the members of the next call. If one call cannot hold all, those that waited longest come first. */
  #next(): Watched[] {
    const members = [...this.#watched.values()].slice(0, maxWatchedRenders);
    if (this.#watched.size > maxWatchedRenders)
      for (const one of members) {
        this.#watched.delete(one.id);
        this.#watched.set(one.id, one);
      }
    return members;
  }

  #ask(members: readonly Watched[], signal: AbortSignal) {
    return this.#studioClient.call('readProgress', {
      body: {
        renders: members.map(({ id, studioAccountId, known, wantsBytes }) => ({
          account: studioAccountId,
          token: id,
          revision: known?.revision ?? null,
          preview_after: wantsBytes() ? revisionWithBytes(known) : null,
        })),
        // A short wait, because the other renders wait for their turn.
        wait_seconds: this.#watched.size > members.length ? 1 : waitSeconds,
      },
      signal,
    });
  }

  async #lookAt(all: readonly (AtStudio & { bytes: boolean })[]): Promise<(RenderProgress | undefined)[]> {
    if (!(await this.#offers())) return all.map(() => undefined);
    const { renders } = await this.#studioClient.call('readProgress', {
      body: {
        renders: all.map(({ id, studioAccountId, bytes }) => ({
          account: studioAccountId,
          token: id,
          revision: null,
          preview_after: bytes ? 0 : null,
        })),
        wait_seconds: 0,
      },
    });
    const byToken = new Map(renders.map((progress) => [progress.token, progress]));
    return all.map(({ id }) => byToken.get(id));
  }

  /** @throws StudioFailure */
  async #offers(): Promise<boolean> {
    if (performance.now() - this.#offeredAt < notOfferedMs) return this.#isOffered;
    this.#isOffered = (await this.#studioClient.call('getMetadata', {})).progress === true;
    this.#offeredAt = performance.now();
    return this.#isOffered;
  }

  #failed(error: unknown): void {
    this.#isAway =
      error instanceof StudioFailure && (error.kind === 'unavailable' || error.kind === 'timeout');
    this.#log.debug({ err: error }, 'the progress of renders could not be read');
  }
}

const revisionWithBytes = (known: RenderProgress | undefined) =>
  known?.preview?.jpeg === undefined ? 0 : known.preview.revision;

/** Adds the known bytes of a preview, because the studio sends them only once. */
function withKnownBytes(progress: RenderProgress, known: RenderProgress | undefined): RenderProgress {
  const { preview } = progress;
  const before = known?.preview;
  if (preview === null || preview.jpeg !== undefined || before?.jpeg === undefined) return progress;
  return before.revision === preview.revision ? { ...progress, preview: before } : progress;
}
