/** Pieces that any body may come in, and how large those beyond must be on average: less than the smallest packets bring. */
const freePieces = 2_000;
const minBytesOfPiece = 256;

/**
 * Counts the pieces that a body comes in. Each is an event: a body of chunks of one byte would keep the process busy for
 * a thousand times as long as another of its size.
 */
export class PieceCount {
  #pieces = 0;
  #bytes = 0;

  /** False once there are too many for their size. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    return ++this.#pieces <= freePieces + this.#bytes / minBytesOfPiece;
  }
}
