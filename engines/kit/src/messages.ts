import type { EngineReport } from './report.ts';
import type { EngineErrorCode, EngineRequest, RenderedFile } from './engine.ts';

/** Messages from the worker to a drawing process. `engine-processes.ts` sends them, `serve-engine.ts` handles them. */
export type ToProcess =
  | { type: 'render'; request: EngineRequest }
  /** The last file was taken, so its file on disk may be removed. */
  | { type: 'next' };

/** Messages from a drawing process; it does one render at a time. */
export type FromProcess =
  | { type: 'file'; file: RenderedFile }
  | { type: 'report'; report: EngineReport }
  | { type: 'done' }
  | { type: 'failed'; code: EngineErrorCode; message: string };
