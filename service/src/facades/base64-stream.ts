/**
 * Base64 of bytes as they come, without line ends (RFC 4648 §4). Three bytes make four characters: what is left of a chunk
 * waits for the next.
 */
export async function* base64Of(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all =
      rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 3);
    if (whole > 0) yield all.toString('base64', 0, whole);
    rest = Buffer.from(all.subarray(whole));
  }
  if (rest.length > 0) yield rest.toString('base64');
}
