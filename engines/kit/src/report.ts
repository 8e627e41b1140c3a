/** What an engine says of a job while it is at it. Free to be ignored: losing a report costs nothing. */

export type EngineStage = 'waiting_for_engine' | 'loading_model' | 'rendering' | 'encoding';

export interface EngineProgress {
  readonly type: 'progress';
  readonly stage: EngineStage;
  /** Of the whole job, 0–1; null where it is not known. */
  readonly fraction: number | null;
  readonly step?: number;
  readonly steps?: number;
  /** Jobs before it at the engine. */
  readonly position?: number;
  /** Outputs of the job that are finished; left out where that is not known. */
  readonly outputsDone?: number;
}

/** A picture on the way, as the engine sent it. */
export interface EnginePreview {
  readonly type: 'preview';
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly bytes: Buffer;
  /** 0-based position among the outputs of the job; 0 where the engine does not say. */
  readonly output?: number;
  /** Of a small JPEG that an engine of our own drew: it is shown as it is. What comes from elsewhere is decoded first. */
  readonly own?: { readonly width: number; readonly height: number };
}

export type EngineReport = EngineProgress | EnginePreview;
export type Report = (report: EngineReport) => void;
