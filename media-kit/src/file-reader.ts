import type { FileHandle } from 'node:fs/promises';

const windowBytes = 64 * 1024;

/** Reads a file at positions, through a buffer, so that a walk over its structure needs few system calls. */
export type FileReader = {
  sizeBytes: number;
  /** Returns fewer bytes than requested only at the end of the file. */
  read: (position: number, length: number) => Promise<Buffer>;
};

export async function openReader(handle: FileHandle): Promise<FileReader> {
  const { size } = await handle.stat();
  let start = 0;
  let window: Buffer = Buffer.alloc(0);
  const fill = async (position: number, length: number) => {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(Math.max(length, windowBytes), size - position)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    start = position;
    window = buffer.subarray(0, bytesRead);
  };
  return {
    sizeBytes: size,
    read: async (position, length) => {
      const inside = position >= start && position + length <= start + window.length;
      if (!inside) await fill(position, length);
      return window.subarray(position - start, position - start + length);
    },
  };
}
