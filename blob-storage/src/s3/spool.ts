import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { makeTemporaryDirectory } from '@renderkit/media-kit/temporary-directory.ts';
import type { Chunks } from '../blob-storage.ts';
import { writeChunks } from '../write-chunks.ts';

/** A file on its way to or from the storage, in its own directory, which is removed with it. */
export type SpooledFile = AsyncDisposable & { path: string; sizeBytes: number; sha256: string };

/** Writes chunks to a temporary file; removes the file again if the chunks throw. */
export async function spool(chunks: Chunks, name = 'file'): Promise<SpooledFile> {
  await using owned = new AsyncDisposableStack();
  const directory = owned.use(makeTemporaryDirectory());
  const file = path.join(directory.path, name);
  const hash = createHash('sha256');
  const handle = await open(file, 'wx', 0o600);
  let sizeBytes: number;
  try {
    sizeBytes = await writeChunks(handle, hashed(chunks, hash));
  } finally {
    await handle.close();
  }
  const ours = owned.move();
  return {
    path: file,
    sizeBytes,
    sha256: hash.digest('hex'),
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}

async function* hashed(chunks: Chunks, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * Yields the file in pieces of this size; the last piece may be shorter. A piece is valid until the next one is
 * requested.
 */
export async function* piecesOf(
  handle: FileHandle,
  sizeBytes: number,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, sizeBytes));
  for (let at = 0; at < sizeBytes; at += pieceBytes) {
    const length = Math.min(pieceBytes, sizeBytes - at);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, at + filled);
      if (bytesRead === 0) throw new Error('a spooled file became shorter');
      filled += bytesRead;
    }
    yield buffer.subarray(0, length);
  }
}
