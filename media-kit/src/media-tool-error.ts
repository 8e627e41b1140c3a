export type MediaToolErrorKind =
  /** The tool took longer than allowed. */
  | 'timeout'
  /** The caller's signal ended the tool; `cause` is the signal's reason. */
  | 'aborted'
  /** The tool failed or crashed: it cannot use the input or the arguments. */
  | 'failed'
  /** The tool wrote more than allowed. */
  | 'output_too_large'
  /** The tool took more memory than allowed. */
  | 'out_of_memory'
  /** The disk had no space for the output; the file is not at fault. */
  | 'out_of_space'
  /** The tool does not exist on this machine. */
  | 'unavailable';

/** Kinds that do not depend on the file: another try may succeed. */
export const notTheFile: readonly MediaToolErrorKind[] = ['aborted', 'unavailable', 'out_of_space'];

/** A program or a process that handles media could not finish its work. */
export class MediaToolError extends Error {
  override readonly name = 'MediaToolError';
  readonly kind: MediaToolErrorKind;

  constructor(kind: MediaToolErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const outOfSpace = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|Read-only file system|EROFS/;

/** Returns the failure of an ffmpeg run, from the end of its messages. */
export function ffmpegFailure(stderr: string): MediaToolError {
  return new MediaToolError(outOfSpace.test(stderr) ? 'out_of_space' : 'failed', `ffmpeg failed: ${stderr}`);
}
