/** Bytes that are read by places: what describes a video may stand at the end of a large file. */
export interface ByteReader {
  readonly sizeBytes: number;
  /** Fewer bytes than asked only where the file ends. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Thrown where a file makes its reader read, or hold, more than it may. */
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

/** The same file, of which no more than `maxBytes` are read and in no more than `maxReads` pieces. */
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
