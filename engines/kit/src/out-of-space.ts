import { EngineError } from './engine.ts';
import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';

/**
 * Returns whether work failed because a file could not be written for lack of space. Another try may succeed once there
 * is space. `studio/src/renders/run-submission.ts` and `collect-job.ts` beside it decide whether the job waits or is
 * given back.
 */
export function isOutOfSpace(error: unknown): boolean {
  if (isStorageUnavailable(error)) return true;
  for (let at = error; at instanceof Error; at = at.cause)
    if (
      (at instanceof EngineError && at.code === 'out_of_space') ||
      (at instanceof MediaToolError && at.kind === 'out_of_space')
    )
      return true;
  return false;
}
