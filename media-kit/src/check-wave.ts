import type { FileReader } from './file-reader.ts';
import { UnusableFile } from './unusable-file.ts';

const maxChunks = 1000;
/** Written by programs that cannot update the head when the length is known. */
const unknownSize = 0xffff_ffff;

/**
 * Walks the chunks of a WAV. The file must have a format and as much audio as its header states. @throws UnusableFile
 */
export async function checkWave(file: FileReader): Promise<void> {
  let hasFormat = false;
  let position = 12;
  for (let count = 0; count < maxChunks; count++) {
    const head = await file.read(position, 8);
    if (head.length < 8) throw broken('The WAV is incomplete.');
    const type = head.toString('latin1', 0, 4);
    const size = head.readUInt32LE(4);
    const end = position + 8 + size;
    if (type === 'fmt ') hasFormat = size >= 16;
    if (type === 'data') {
      if (!hasFormat) throw broken('The WAV does not say how its sound is written.');
      if (end > file.sizeBytes && size !== unknownSize) throw broken('The WAV is incomplete.');
      return;
    }
    // Chunks begin at even positions.
    position = end + (size % 2);
  }
  throw broken('The WAV consists of too many parts.');
}

function broken(message: string): UnusableFile {
  return new UnusableFile('broken', message);
}
