import { hash, randomBytes } from 'node:crypto';

/** Which folders were added, in a memory that is the same however many they are. */
export type FolderFilter = {
  add: (folder: string) => void;
  /** True of each folder that was added, and of few others. */
  mayHave: (folder: string) => boolean;
};

/** 64 MB: of a million others one is taken for one of ten million that were added, and one of ten for one of a hundred million. */
const ordinaryBits = 2 ** 29;
const bitsOfFolder = 6;

/**
 * A Bloom filter. What it takes for one that was added is another each time: each filter has its own salt, so that a folder which one
 * of them hides the next one tells. `bits` is a power of two.
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
