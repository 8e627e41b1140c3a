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
  /** There is no such tool on this machine. */
  | 'unavailable';

/** What ends the work of a program or a process that handles media. */
export class MediaToolError extends Error {
  override readonly name = 'MediaToolError';
  readonly kind: MediaToolErrorKind;

  constructor(kind: MediaToolErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
