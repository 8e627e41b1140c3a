export type UnusableReason =
  | 'empty'
  /** Nothing that is known. */
  | 'unknown_type'
  /** Known, but not taken. */
  | 'unsupported_type'
  /** Of a type that is taken, but damaged, incomplete or contradicting itself. */
  | 'broken'
  | 'too_large'
  | 'too_many_pixels'
  | 'side_too_long'
  | 'too_long'
  | 'no_video_track'
  | 'no_audio_track';

/** A file that cannot be taken. Its message is one sentence for whoever sent it. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
