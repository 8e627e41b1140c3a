export type MediaToolErrorKind =
  /** It took longer than it may. */
  | 'timeout'
  /** The caller's signal ended it; `cause` is the signal's reason. */
  | 'aborted'
  /** The tool said no, or broke: the input or the arguments are not what it can work with. */
  | 'failed'
  /** It wrote more than it may. */
  | 'output_too_large'
  /** It took more memory than it may. */
  | 'out_of_memory'
  /** There was no space on the disk for what it wrote; the file is not at fault. */
  | 'out_of_space'
  /** There is no such tool on this machine. */
  | 'unavailable';

/** Kinds that say nothing of the file that was worked on: another time it may go well. */
export const notTheFile: readonly MediaToolErrorKind[] = ['aborted', 'unavailable', 'out_of_space'];

/** What ends the work of a program or a process that handles media. */
export class MediaToolError extends Error {
  override readonly name = 'MediaToolError';
  readonly kind: MediaToolErrorKind;

  constructor(kind: MediaToolErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const outOfSpace = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|Read-only file system|EROFS/;

/** What a run of ffmpeg failed by, from the end of what it said. */
export function ffmpegFailure(stderr: string): MediaToolError {
  return new MediaToolError(outOfSpace.test(stderr) ? 'out_of_space' : 'failed', `ffmpeg failed: ${stderr}`);
}
