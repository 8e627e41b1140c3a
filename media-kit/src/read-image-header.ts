import type { FileReader } from './file-reader.ts';
import { readOrientation } from './read-orientation.ts';
import { UnusableFile } from './unusable-file.ts';

/**
 * Pixels as stored, and the EXIF orientation (1 to 8) that makes the image upright. `inspect-file.ts` refuses an image
 * that is too large.
 */
export type ImageHeader = { width: number; height: number; orientation: number };

const maxExifBytes = 65_536;

/** Limit of chunks of a PNG. Encoders write at least 8 kB in each: 6,400 chunks in the largest accepted file. */
const maxChunks = 50_000;
const pngHeader = { size: 13, dataAt: 16 };

/** Walks the chunks of a PNG (RFC 2083) without reading pixels. @throws UnusableFile */
export async function readPngHeader(file: FileReader): Promise<ImageHeader> {
  const header = await file.read(8, 8 + pngHeader.size);
  if (
    header.length < 8 + pngHeader.size ||
    header.toString('latin1', 4, 8) !== 'IHDR' ||
    header.readUInt32BE(0) !== pngHeader.size
  )
    throw broken('The PNG has no header.');
  const imageHeader = { width: header.readUInt32BE(8), height: header.readUInt32BE(12), orientation: 1 };
  let hasPixels = false;
  let position = 8;
  for (let count = 0; count < maxChunks; count++) {
    const chunk = await file.read(position, 8);
    if (chunk.length < 8) throw broken('The PNG is incomplete.');
    const length = chunk.readUInt32BE(0);
    const type = chunk.toString('latin1', 4, 8);
    const end = position + 12 + length;
    if (end > file.sizeBytes) throw broken('The PNG is incomplete.');
    if (type === 'IDAT') hasPixels = true;
    if (type === 'eXIf' && length <= maxExifBytes)
      imageHeader.orientation = readOrientation(await file.read(position + 8, length));
    if (type === 'IEND') {
      if (!hasPixels) throw broken('The PNG has no pixels.');
      return imageHeader;
    }
    position = end;
  }
  throw broken('The PNG consists of too many parts.');
}

const marker = { app1: 0xe1, startOfScan: 0xda, endOfImage: 0xd9, startOfImage: 0xd8, stuffing: 0x00 };
const maxSegments = 10_000;
/** Half of the reader's buffer, so that a JPEG of ten thousand tiny scans is read once and not again for each scan. */
const scanBytes = 32 * 1024;

/** Walks the segments of a JPEG (ITU-T T.81) up to its end without decoding. @throws UnusableFile */
export async function readJpegHeader(file: FileReader): Promise<ImageHeader> {
  let imageHeader: ImageHeader | undefined;
  let orientation = 1;
  let position = 2;
  for (let count = 0; count < maxSegments; count++) {
    const head = await file.read(position, 4);
    if (head.length < 2) throw broken('The JPEG is incomplete.');
    const [first, kind = 0] = head;
    if (first !== 0xff) throw broken('The JPEG is damaged.');
    if (kind === 0xff) {
      position += 1;
      continue;
    }
    if (kind === marker.endOfImage) {
      if (imageHeader === undefined) throw broken('The JPEG has no picture.');
      return { ...imageHeader, orientation };
    }
    if (standsAlone(kind)) {
      position += 2;
      continue;
    }
    const length = head.length < 4 ? 0 : head.readUInt16BE(2);
    if (length < 2 || position + 2 + length > file.sizeBytes) throw broken('The JPEG is incomplete.');
    const body = async () => file.read(position + 4, length - 2);
    if (isStartOfFrame(kind)) imageHeader ??= readFrameSize(await body());
    if (kind === marker.app1) orientation = orientationOf(await body()) ?? orientation;
    position += 2 + length;
    if (kind === marker.startOfScan) position = await skipScan(file, position);
  }
  throw broken('The JPEG consists of too many parts.');
}

function standsAlone(kind: number): boolean {
  return kind === 0x01 || isRestart(kind) || kind === marker.startOfImage;
}

function isRestart(kind: number): boolean {
  return kind >= 0xd0 && kind <= 0xd7;
}

/** Start-of-frame markers of all codings; C4 and CC are tables and C8 is an extension in the same range. */
function isStartOfFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
}

function readFrameSize(body: Buffer): ImageHeader {
  if (body.length < 6) throw broken('The JPEG is damaged.');
  return { height: body.readUInt16BE(1), width: body.readUInt16BE(3), orientation: 1 };
}

function orientationOf(body: Buffer): number | undefined {
  return body.toString('latin1', 0, 6) === 'Exif\0\0' ? readOrientation(body.subarray(6)) : undefined;
}

/**
 * Returns the position of the first marker after coded data. Inside coded data, FF is followed by 00 or by the number
 * of a restart.
 */
async function skipScan(file: FileReader, from: number): Promise<number> {
  for (let position = from; position < file.sizeBytes; position += scanBytes) {
    // Reads one byte more, because a marker may cross the border.
    const bytes = await file.read(position, scanBytes + 1);
    for (let at = bytes.indexOf(0xff); at !== -1 && at < scanBytes; at = bytes.indexOf(0xff, at + 1)) {
      const next = bytes[at + 1];
      if (next === undefined) break;
      if (next !== marker.stuffing && next !== 0xff && !isRestart(next)) return position + at;
    }
  }
  throw broken('The JPEG is incomplete.');
}

function broken(message: string): UnusableFile {
  return new UnusableFile('broken', message);
}
