import { isDeepStrictEqual } from 'node:util';
import { maxPreviewBytes, maxPreviewSide, type RenderStage } from '@renderkit/contract/studio/progress.ts';
import type { EnginePreview, EngineProgress, EngineReport } from '@renderkit/engine-kit/report.ts';
import { makePreviewOf } from '@renderkit/media-kit/thumbnail.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Wakeups } from '../changes/watch-changes.ts';
import { recordReport, type ReportRow } from './store.ts';

export type ReporterOptions = {
  database: Database;
  /** Notifies those who watch the render, after the write. */
  announceProgress: (render: string) => void;
  /** Notifications about renders that somebody begins to watch. */
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

/**
 * Milliseconds between two writes: while somebody watches, while nobody watches, and while nothing changes. `preview`:
 * milliseconds between two previews.
 */
const pauses = { watched: 250, unwatched: 1_000, unchanged: 300_000, preview: 500 };

/**
 * Writes an engine's reports about a job to the database. Writes only the newest report, a few times a second at most,
 * and previews only while somebody watches. Nothing waits for the writes, and their failure fails nothing else.
 * Disposing stops the reporter; reports not yet written are dropped.
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
  /** A notification arrived after the last write began, so that write's result may be outdated. */
  #isNotified = false;
  #isNew = false;
  #writtenStage: RenderStage | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #previewAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  readonly #unsubscribe: () => void;

  /** `adult`: previews are only for people with a verified age (`recordReport` in `store.ts` leaves them out). */
  constructor(options: ReporterOptions, job: Reported, adult: boolean) {
    this.#options = options;
    this.#job = job;
    this.#adult = adult;
    this.#unsubscribe = options.watches.subscribe((renders) => {
      if (renders.includes(job.render_id)) this.#onWatched();
    });
  }

  /** The stage reported last. */
  get stage(): RenderStage {
    return this.#latest.stage;
  }

  /** Takes a report of the engine. */
  readonly report = (report: EngineReport): void => {
    if (report.type === 'preview') this.#preview = report;
    else if (isDeepStrictEqual(report, this.#latest) && !this.#isOld()) return;
    else this.#latest = report;
    this.#isNew = true;
    this.#schedule();
  };

  /** The engine has finished its work. Reports `storing`, with the number of finished outputs of the job. */
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

  /** Somebody begins to watch. Writes at once, with the preview that arrived while nobody watched. */
  #onWatched(): void {
    this.#isNotified = true;
    this.#isWatched = true;
    this.#isNew ||= this.#preview !== undefined;
    if (this.#isNew) this.#schedule();
  }

  /** The database may lose what was written, so the same report is written again after some time. */
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

  /**
   * Returns the newest preview in the size that is shown, if a preview is due. Returns `null` for an unreadable
   * preview.
   */
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
