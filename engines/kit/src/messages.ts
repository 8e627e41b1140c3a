import type { EngineReport } from './report.ts';
import type { EngineErrorCode, EngineRequest, RenderedFile } from './engine.ts';

/** What the worker says to a drawing process. */
export type ToProcess =
  | { type: 'render'; request: EngineRequest }
  /** The last file is taken: what lies on disk of it may go. */
  | { type: 'next' };

/** What it answers; one render at a time. */
export type FromProcess =
  | { type: 'file'; file: RenderedFile }
  | { type: 'report'; report: EngineReport }
  | { type: 'done' }
  | { type: 'failed'; code: EngineErrorCode; message: string };
