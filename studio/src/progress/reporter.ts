import { isDeepStrictEqual } from 'node:util';
import { maxPreviewBytes, maxPreviewSide, type RenderStage } from '@renderkit/contract/studio/progress.ts';
import type { EnginePreview, EngineProgress, EngineReport } from '@renderkit/engine-kit/report.ts';
import { makePreviewOf } from '@renderkit/media-kit/thumbnail.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Wakeups } from '../changes/watch-changes.ts';
import { recordReport, type ReportRow } from './store.ts';

export type ReporterOptions = {
  database: Database;
  /** Tells whoever watches the render, after the write. */
  announceProgress: (render: string) => void;
  /** Of renders that somebody begins to watch. */
  watches: Pick<Wakeups, 'subscribe'>;
  log: { debug: (details: object, message: string) => void };
};

/** The render, and which of its outputs the job makes. */
export type Reported = {
  render_id: string;
  attempt: number;
  first_output: number;
  outputs: number;
  expected_outputs: number;
};

/** Milliseconds between two writes while somebody watches, while nobody does, and while nothing changes; between two previews. */
const pauses = { watched: 250, unwatched: 1_000, unchanged: 300_000, preview: 500 };

/**
 * Writes what an engine reports of a job where others see it: the newest alone, a few times a second at most, and previews only
 * while somebody watches. Nothing waits for it and nothing fails by it. Disposing ends it; what was not yet written is dropped.
 */
export class Reporter implements AsyncDisposable {
  readonly #options: ReporterOptions;
  readonly #job: Reported;
  readonly #adult: boolean;
  readonly #stopping = new AbortController();
  #latest: Omit<EngineProgress, 'type' | 'stage'> & { stage: RenderStage } = {
    stage: 'waiting_for_engine',
    fraction: null,
  };
  #preview: EnginePreview | undefined;
  #isWatched = false;
  /** Word came since the last write began: what that found may be from before. */
  #isNotified = false;
  #isNew = false;
  #writtenStage: RenderStage | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #previewAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  readonly #unsubscribe: () => void;

  /** `adult`: previews may only be seen by those who are known to be of age. */
  constructor(options: ReporterOptions, job: Reported, adult: boolean) {
    this.#options = options;
    this.#job = job;
    this.#adult = adult;
    this.#unsubscribe = options.watches.subscribe((renders) => {
      if (renders.includes(job.render_id)) this.#onWatched();
    });
  }

  /** How far the job is, as was reported last. */
  get stage(): RenderStage {
    return this.#latest.stage;
  }

  /** What the engine says. */
  readonly report = (report: EngineReport): void => {
    if (report.type === 'preview') this.#preview = report;
    else if (isDeepStrictEqual(report, this.#latest) && !this.#isOld()) return;
    else this.#latest = report;
    this.#isNew = true;
    this.#schedule();
  };

  /** The engine has done its part: `storing`, with so many outputs of the job finished. */
  storing(outputsDone: number): void {
    this.#latest = { stage: 'storing', fraction: this.#latest.fraction, outputsDone };
    this.#isNew = true;
    this.#schedule();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the job is over'));
    clearTimeout(this.#timer);
    await this.#writing;
  }

  /** Who begins to watch sees at once what is there, the preview that came while nobody watched with it. */
  #onWatched(): void {
    this.#isNotified = true;
    this.#isWatched = true;
    this.#isNew ||= this.#preview !== undefined;
    if (this.#isNew) this.#schedule();
  }

  /** What was written may be lost with the database: now and then it is written again. */
  #isOld(): boolean {
    return performance.now() - this.#writtenAt >= pauses.unchanged;
  }

  #schedule(): void {
    if (this.#writing !== undefined || this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    const pause = this.#isWatched ? pauses.watched : pauses.unwatched;
    const isStage = this.#latest.stage !== this.#writtenStage;
    const wait = isStage ? 0 : Math.max(0, this.#writtenAt + pause - performance.now());
    this.#timer = setTimeout(() => {
      this.#writing = this.#write()
        .catch((error: unknown) =>
          this.#options.log.debug(
            { err: error, render: this.#job.render_id },
            'progress could not be reported',
          ),
        )
        .finally(() => {
          this.#writing = undefined;
          if (this.#isNew) this.#schedule();
        });
    }, wait);
  }

  async #write(): Promise<void> {
    const { database, announceProgress } = this.#options;
    this.#isNew = false;
    this.#isNotified = false;
    this.#writtenAt = performance.now();
    const { stage } = this.#latest;
    const isStage = stage !== this.#writtenStage;
    this.#writtenStage = stage;
    const row = this.#rowOf(await this.#takePreview());
    if (this.#stopping.signal.aborted) return;
    const watched = await recordReport(database, row);
    if (watched === true || (watched !== undefined && isStage)) announceProgress(this.#job.render_id);
    this.#isWatched = watched === true || this.#isNotified;
  }

  #rowOf(preview: ReportRow['preview']): ReportRow {
    const {
      render_id: render,
      attempt,
      first_output: first,
      outputs,
      expected_outputs: expected,
    } = this.#job;
    const { stage, fraction, step, steps, position, outputsDone = 0 } = this.#latest;
    return {
      render,
      attempt,
      stage,
      fraction: fraction === null ? null : Math.min(1, (first + Math.max(0, fraction) * outputs) / expected),
      step: step === undefined ? null : Math.round(step),
      steps: steps === undefined ? null : Math.round(steps),
      outputsDone: first + outputsDone,
      position: position ?? null,
      adult: this.#adult,
      preview,
    };
  }

  /** The newest preview at the size that is shown, where it is its time. One that cannot be read is none. */
  async #takePreview(): Promise<ReportRow['preview']> {
    const preview = this.#preview;
    const isDue = performance.now() - this.#previewAt >= pauses.preview;
    if (preview === undefined || !this.#isWatched || !isDue) return null;
    this.#preview = undefined;
    this.#previewAt = performance.now();
    const index = this.#job.first_output + (preview.output ?? 0);
    if (preview.own !== undefined) return { bytes: preview.bytes, index, ...preview.own };
    try {
      const limits = { side: maxPreviewSide, maxBytes: maxPreviewBytes };
      const made = await makePreviewOf(preview.bytes, limits, this.#stopping.signal);
      return made === undefined ? null : { ...made, index };
    } catch (error) {
      this.#options.log.debug({ err: error, render: this.#job.render_id }, 'a preview could not be read');
      return null;
    }
  }
}
