export type UnusableReason =
  | 'empty'
  /** The format is not known. */
  | 'unknown_type'
  /** The format is known but not accepted. */
  | 'unsupported_type'
  /** The format is accepted, but the file is damaged, incomplete or contradicts itself. */
  | 'broken'
  | 'too_large'
  | 'too_many_pixels'
  | 'side_too_long'
  | 'too_long'
  | 'no_video_track'
  | 'no_audio_track';

/**
 * A file that cannot be accepted. The message is one sentence for the person who sent it. `refusedOr` in
 * `studio/src/uploads/store-upload.ts` makes the answer to an upload.
 */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
