import type { Readable } from 'node:stream';

/** A multiple of three: three bytes make four characters, so no piece leaves a remainder for the next. */
const pieceBytes = 12 * 1024;

/** A studio that sends nothing for this time counts as gone. Slow readers have a separate limit (`kept-alive-answer.ts`). */
const silentMs = 60_000;

/**
 * Yields a file as base64 while it arrives, without line ends (RFC 4648 §4), in pieces of 16 kB. It reads pieces of
 * this size because iterating over the stream would keep two chunks of 64 kB for each slow reader.
 * @throws where the stream breaks before its end, or sends nothing for `silentAfterMs`
 */
export async function* base64Of(file: Readable, silentAfterMs = silentMs): AsyncGenerator<string, void> {
  let wake = () => undefined as void;
  const onChange = () => wake();
  const changes = ['readable', 'end', 'error', 'close'] as const;
  for (const change of changes) file.on(change, onChange);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      // The stream returns less than a piece only at its end.
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
