import type { Readable } from 'node:stream';

/** A multiple of three: three bytes make four characters, so that no piece leaves anything over for the next. */
const pieceBytes = 12 * 1024;

/** A studio that says nothing for so long has gone. A reader who is behind is waited for elsewhere. */
const silentMs = 60_000;

/**
 * Base64 of a file as it comes, without line ends (RFC 4648 §4), in pieces of 16 kB. It is taken from the stream in such
 * pieces: iterating over it would keep two chunks of 64 kB for each reader that is behind.
 * @throws where the stream breaks before its end, or gives nothing for so many milliseconds
 */
export async function* base64Of(file: Readable, silentAfterMs = silentMs): AsyncGenerator<string, void> {
  let wake = () => undefined as void;
  const onChange = () => wake();
  const changes = ['readable', 'end', 'error', 'close'] as const;
  for (const change of changes) file.on(change, onChange);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      // Less than a piece is given at the end alone.
      const piece = file.read(pieceBytes) as Buffer | null;
      if (piece !== null) yield piece.toString('base64');
      else if (file.readableEnded) return;
      else if (file.destroyed) throw file.errored ?? new Error('the file broke off');
      else {
        const silent = setTimeout(() => file.destroy(new Error('the file stands still')), silentAfterMs);
        await changed.finally(() => clearTimeout(silent));
      }
    }
  } finally {
    for (const change of changes) file.off(change, onChange);
    file.destroy();
  }
}
