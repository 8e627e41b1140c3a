/** Reads bytes at given places, because the description of a video may be at the end of a large file. */
export interface ByteReader {
  readonly sizeBytes: number;
  /** Returns fewer bytes than `length` only where the file ends. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Thrown if a file makes its reader read or keep more than the limit. */
export class TooMuchToRead extends Error {
  override readonly name = 'TooMuchToRead';
}

/** Reads bytes that are in memory. */
export function readerOf(bytes: Uint8Array): ByteReader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    sizeBytes: buffer.length,
    read: (position, length) => Promise.resolve(buffer.subarray(position, position + length)),
  };
}

/** Limits a reader to `maxBytes` bytes in `maxReads` reads. */
export function limitReading(reader: ByteReader, maxBytes: number, maxReads: number): ByteReader {
  let bytesLeft = maxBytes;
  let readsLeft = maxReads;
  return {
    sizeBytes: reader.sizeBytes,
    read: (position, length) => {
      const possible = Math.max(0, Math.min(length, reader.sizeBytes - position));
      bytesLeft -= possible;
      readsLeft -= 1;
      if (bytesLeft < 0 || readsLeft < 0) throw new TooMuchToRead('The file is too large to be searched.');
      return reader.read(position, possible);
    },
  };
}
