import { EngineError } from './engine.ts';
import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';

/** True where work ended because a file could not be written for want of space: it may succeed once there is some. */
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
