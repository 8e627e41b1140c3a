import type { FileReader } from './file-reader.ts';
import { UnusableFile } from './unusable-file.ts';

/** Limit of boxes that are read in total. Five minutes in fragments of one frame each have 36,000. */
const maxBoxes = 50_000;
const maxDepth = 8;
/** Size of the box that describes all samples; five minutes at 60 frames a second need less than 2 MB. */
const maxMoovBytes = 16 * 1024 * 1024;
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'dinf']);
const selfContained = 1;

type Walk = { boxes: number; moov: number; samples: number };

/**
 * Walks the boxes of an MP4 or QuickTime file (ISO/IEC 14496-12). Refuses files that no decoder should receive: boxes
 * that end beyond the file, a description that is too large, or samples in other files or on other machines.
 * @throws UnusableFile
 */
export async function checkBoxes(file: FileReader): Promise<void> {
  const walk: Walk = { boxes: 0, moov: 0, samples: 0 };
  await walkBoxes(file, { start: 0, end: file.sizeBytes, depth: 0 }, walk);
  if (walk.moov === 0) throw broken('The file is incomplete: it lacks the description of its content.');
  if (walk.samples === 0) throw broken('The file holds no media data.');
}

type Area = { start: number; end: number; depth: number };

async function walkBoxes(file: FileReader, area: Area, walk: Walk): Promise<void> {
  let position = area.start;
  while (position + 8 <= area.end) {
    if (++walk.boxes > maxBoxes || area.depth > maxDepth)
      throw broken('The file consists of too many parts.');
    const { type, dataAt, end } = await readBox(file, position, area);
    if (end > area.end) {
      // Some lists of QuickTime end with four zero bytes, and many files end with padding.
      if (walk.moov > 0 && area.depth === 0 && !/^[\w ]{4}$/.test(type)) return;
      throw broken('The file is incomplete.');
    }
    if (area.depth === 0 && type === 'mdat') walk.samples += end - dataAt;
    if (type === 'moov') {
      walk.moov++;
      if (end - position > maxMoovBytes) throw broken("The file's description of its content is too large.");
    }
    if (type === 'dref') await checkReferences(file, dataAt, end);
    else if (containers.has(type)) await walkBoxes(file, { start: dataAt, end, depth: area.depth + 1 }, walk);
    position = end;
  }
}

async function readBox(
  file: FileReader,
  position: number,
  area: Area,
): Promise<{ type: string; dataAt: number; end: number }> {
  const head = await file.read(position, 16);
  const size = head.readUInt32BE(0);
  const type = head.toString('latin1', 4, 8);
  if (size === 0) {
    // The box ends at the end of its area. Inside another box, four zero bytes are the end of a list.
    return { type, dataAt: position + 8, end: area.end };
  }
  if (size === 1) {
    const large = head.length < 16 ? 0n : head.readBigUInt64BE(8);
    if (large < 16n || large > BigInt(Number.MAX_SAFE_INTEGER)) throw broken('The file is damaged.');
    return { type, dataAt: position + 16, end: position + Number(large) };
  }
  if (size < 8) throw broken('The file is damaged.');
  return { type, dataAt: position + 8, end: position + size };
}

/** Checks that each track has its samples in this very file. */
async function checkReferences(file: FileReader, dataAt: number, end: number): Promise<void> {
  const head = await file.read(dataAt, 8);
  if (head.length < 8) throw broken('The file is damaged.');
  let position = dataAt + 8;
  for (let left = Math.min(head.readUInt32BE(4), 64); left > 0 && position + 12 <= end; left--) {
    const entry = await file.read(position, 12);
    const size = entry.readUInt32BE(0);
    const flags = entry.readUInt32BE(8) & 0xffffff;
    if (size < 12 || position + size > end) throw broken('The file is damaged.');
    if ((flags & selfContained) === 0)
      throw broken('The file refers to media outside of itself, which is not taken.');
    position += size;
  }
}

function broken(message: string): UnusableFile {
  return new UnusableFile('broken', message);
}
