import { readBoxes } from './boxes.ts';
import type { ByteReader } from './byte-reader.ts';

/** Bytes that are read from the start and from the end: enough for all checks. */
const edgeBytes = 64;
const pngEnd = Buffer.from('49454e44ae426082', 'hex');
const jpegEnd = Buffer.from('ffd9', 'hex');
const segmentId = 0x18538067;

/**
 * Returns whether a file was written to its end, as far as its format shows. ComfyUI writes results in place, so a
 * crash leaves a partial file. Does not check whether the file can be decoded. A file of unknown format counts as
 * partial.
 */
export async function isWholeFile(file: ByteReader): Promise<boolean> {
  if (file.sizeBytes === 0) return false;
  const head = await file.read(0, edgeBytes);
  const end = (bytes: Buffer): Promise<boolean> => endsWith(file, bytes);
  if (head.subarray(1, 4).equals(Buffer.from('PNG'))) return end(pngEnd);
  if (head.readUInt16BE(0) === 0xffd8) return end(jpegEnd);
  if (head.toString('latin1', 0, 3) === 'GIF') return end(Buffer.from([0x3b]));
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.length > 8)
    return file.sizeBytes >= head.readUInt32LE(4) + 8;
  if (head.toString('latin1', 4, 8) === 'ftyp') return hasAllBoxes(file);
  if (head.readUInt32BE(0) === 0x1a45dfa3) return hasWholeSegment(file, head);
  return false;
}

async function endsWith(file: ByteReader, bytes: Buffer): Promise<boolean> {
  return (await file.read(file.sizeBytes - bytes.length, bytes.length)).equals(bytes);
}

/**
 * The index of an MP4 is written last, or moved to the front by a second pass. So the file is complete if the index is
 * there and the last box ends with the file.
 */
async function hasAllBoxes(file: ByteReader): Promise<boolean> {
  const boxes = await readBoxes(file, { start: 0, end: file.sizeBytes });
  return boxes.some(({ type }) => type === 'moov') && boxes.at(-1)?.end === file.sizeBytes;
}

/** A writer fills in the size of a Matroska segment when the segment is complete. */
async function hasWholeSegment(file: ByteReader, head: Buffer): Promise<boolean> {
  const headerSize = sizeAt(head, 4);
  if (headerSize === undefined) return false;
  const at = headerSize.next + headerSize.value;
  const segment = await file.read(at, 16);
  if (segment.length < 12 || segment.readUInt32BE(0) !== segmentId) return false;
  const size = sizeAt(segment, 4);
  return size !== undefined && at + size.next + size.value === file.sizeBytes;
}

/** Reads a size of EBML (RFC 8794 §4), whose first bits give its length. Returns undefined if the size is unknown. */
function sizeAt(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = (bytes[at] ?? 0) & ((1 << (8 - length)) - 1);
  let isUnknown = value === (1 << (8 - length)) - 1;
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return isUnknown ? undefined : { value, next: at + length };
}
