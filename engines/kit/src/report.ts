/**
 * What an engine reports about a running job. A receiver may ignore reports: a lost report does no harm.
 * `studio/src/progress/reporter.ts` decides which reports are written and how often.
 */

export type EngineStage = 'waiting_for_engine' | 'loading_model' | 'rendering' | 'encoding';

export interface EngineProgress {
  readonly type: 'progress';
  readonly stage: EngineStage;
  /** Of the whole job, 0–1; `null` where it is unknown. */
  readonly fraction: number | null;
  readonly step?: number;
  readonly steps?: number;
  /** Number of jobs before this one at the engine. */
  readonly position?: number;
  /** Outputs of the job that are finished; absent where that is unknown. */
  readonly outputsDone?: number;
}

/** An intermediate picture, as the engine sent it. */
export interface EnginePreview {
  readonly type: 'preview';
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly bytes: Buffer;
  /** 0-based position among the outputs of the job; 0 where the engine does not say. */
  readonly output?: number;
  /**
   * Set for a small JPEG that one of our own engines drew: it is shown unchanged. Pictures of other engines are decoded
   * first.
   */
  readonly own?: { readonly width: number; readonly height: number };
}

export type EngineReport = EngineProgress | EnginePreview;
export type Report = (report: EngineReport) => void;
