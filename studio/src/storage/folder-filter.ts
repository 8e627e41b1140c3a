import { hash, randomBytes } from 'node:crypto';

/** A set of folders whose memory is the same for any number of folders. */
export type FolderFilter = {
  add: (folder: string) => void;
  /** Returns `true` for each folder that was added, and for a few others. */
  mayHave: (folder: string) => boolean;
};

/**
 * 64 MB. With ten million folders added, one in a million other folders is wrongly reported as added; with a hundred
 * million, one in ten.
 */
const ordinaryBits = 2 ** 29;
const bitsOfFolder = 6;

/**
 * Creates a Bloom filter. Each filter has a different salt, so its wrong answers differ: a folder hidden by one filter
 * is found with the next. `bits` is a power of two.
 */
export function createFolderFilter(bits = ordinaryBits): FolderFilter {
  const bytes = new Uint8Array(bits / 8);
  const salt = randomBytes(16).toString('hex');
  const bitsOf = (folder: string) => {
    const digest = hash('sha256', salt + folder, 'buffer');
    return Array.from({ length: bitsOfFolder }, (_, i) => digest.readUInt32LE(4 * i) % bits);
  };
  return {
    add: (folder) => {
      for (const bit of bitsOf(folder)) bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7));
    },
    mayHave: (folder) => bitsOf(folder).every((bit) => ((bytes[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0),
  };
}
