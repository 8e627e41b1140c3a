import type { ByteReader } from './byte-reader.ts';
import { readBoxes } from './boxes.ts';
import { type EmbeddedTexts, keepText, keywordOf, maxTextBytes } from './embedded-texts.ts';

const exifHeader = Buffer.from('Exif\0\0', 'latin1');
/** The directory of the camera's settings: the only one that is followed from the first one. */
const exifDirectoryTag = 0x8769;
const maxEntries = 512;
const asciiType = 2;
const undefinedType = 7;

/**
 * Reads the texts in EXIF data: ComfyUI writes `prompt:{…}` and `workflow:{…}` into text fields meant for the names of
 * cameras. `bytes` begins with the TIFF header or with `Exif` before it. Broken data has no texts.
 */
export function readExif(bytes: Buffer, texts: EmbeddedTexts): void {
  const tiff = bytes.subarray(0, 6).equals(exifHeader) ? bytes.subarray(6) : bytes;
  const order = tiff.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return;
  const read = order.startsWith('II')
    ? { u16: (at: number) => tiff.readUInt16LE(at), u32: (at: number) => tiff.readUInt32LE(at) }
    : { u16: (at: number) => tiff.readUInt16BE(at), u32: (at: number) => tiff.readUInt32BE(at) };
  try {
    const nested = readDirectory(tiff, read.u32(4), read, texts);
    if (nested !== undefined) readDirectory(tiff, nested, read, texts);
  } catch (error) {
    // The offset is beyond the end. Texts found before it stay.
    if (!(error instanceof RangeError)) throw error;
  }
}

type Numbers = { u16: (at: number) => number; u32: (at: number) => number };

/** Returns where the directory of the camera's settings begins, if this directory names it. */
function readDirectory(tiff: Buffer, start: number, read: Numbers, texts: EmbeddedTexts): number | undefined {
  let nested: number | undefined;
  const count = Math.min(read.u16(start), maxEntries);
  for (let index = 0; index < count; index++) {
    const entry = start + 2 + index * 12;
    const tag = read.u16(entry);
    const type = read.u16(entry + 2);
    const length = read.u32(entry + 4);
    if (tag === exifDirectoryTag) nested = read.u32(entry + 8);
    if ((type !== asciiType && type !== undefinedType) || length <= 4) continue;
    const at = read.u32(entry + 8);
    if (at + length <= tiff.length) keepNamedText(tiff.subarray(at, at + length), texts);
  }
  return nested;
}

function keepNamedText(value: Buffer, texts: EmbeddedTexts): void {
  const name = /^([A-Za-z]{1,20}):\s*/.exec(value.toString('latin1', 0, 64));
  if (name !== null) keepText(texts, keywordOf(name[1] ?? ''), value.subarray(name[0].length));
}

/** Reads the texts of a WebP file: its chunk `EXIF`. */
export async function readWebpTexts(file: ByteReader): Promise<EmbeddedTexts> {
  const texts: EmbeddedTexts = new Map();
  let position = 12;
  while (position + 8 <= file.sizeBytes) {
    const head = await file.read(position, 8);
    const length = head.readUInt32LE(4);
    if (head.toString('latin1', 0, 4) === 'EXIF' && length <= maxTextBytes * 2)
      readExif(await file.read(position + 8, length), texts);
    // A padding byte follows a chunk of odd length.
    position += 8 + length + (length % 2);
  }
  return texts;
}

/** Reads the texts of a JPEG file: its segments APP1 before the image. */
export async function readJpegTexts(file: ByteReader): Promise<EmbeddedTexts> {
  const texts: EmbeddedTexts = new Map();
  const app1 = 0xe1;
  const startOfScan = 0xda;
  let position = 2;
  while (position + 4 <= file.sizeBytes) {
    const head = await file.read(position, 4);
    const marker = head[1];
    const length = head.readUInt16BE(2);
    if (head[0] !== 0xff || marker === startOfScan || length < 2) break;
    if (marker === app1) readExif(await file.read(position + 4, length - 2), texts);
    position += 2 + length;
  }
  return texts;
}

/** Reads the texts of an AVIF file: the item of type `Exif`, found through the boxes `iinf` and `iloc` of `meta`. */
export async function readAvifTexts(file: ByteReader): Promise<EmbeddedTexts> {
  const texts: EmbeddedTexts = new Map();
  for (const meta of await readBoxes(file, { start: 0, end: file.sizeBytes })) {
    if (meta.type !== 'meta') continue;
    // Four bytes of version and flags come before the boxes of `meta`.
    const boxes = await readBoxes(file, { start: meta.start + 4, end: meta.end });
    const info = boxes.find(({ type }) => type === 'iinf');
    const locations = boxes.find(({ type }) => type === 'iloc');
    if (info === undefined || locations === undefined) continue;
    const id = await findExifItem(file, info);
    const place = id === undefined ? undefined : findLocation(await readWhole(file, locations), id);
    if (place === undefined || place.length > maxTextBytes * 2) continue;
    const item = await file.read(place.offset, place.length);
    // The item begins with the distance from here to the TIFF header.
    if (item.length > 4) readExif(item.subarray(4 + item.readUInt32BE(0)), texts);
  }
  return texts;
}

type Area = { start: number; end: number };
const maxDescriptionBytes = 1024 * 1024;

async function readWhole(file: ByteReader, { start, end }: Area): Promise<Buffer> {
  return file.read(start, Math.min(end - start, maxDescriptionBytes));
}

async function findExifItem(file: ByteReader, info: Area): Promise<number | undefined> {
  const version = (await file.read(info.start, 1))[0] ?? 0;
  const entries = await readBoxes(file, { start: info.start + (version === 0 ? 6 : 8), end: info.end });
  for (const entry of entries) {
    const data = await file.read(entry.start, 20);
    if (entry.type !== 'infe' || data.length < 12) continue;
    const wide = data[0] === 3;
    const typeAt = wide ? 10 : 8;
    if (data.toString('latin1', typeAt, typeAt + 4) !== 'Exif') continue;
    return wide ? data.readUInt32BE(4) : data.readUInt16BE(4);
  }
  return undefined;
}

/**
 * Reads the first extent of the item from the box `iloc` of ISO/IEC 14496-12, §8.11.3. The head of the box has the
 * sizes of its numbers.
 */
function findLocation(box: Buffer, wanted: number): { offset: number; length: number } | undefined {
  let at = 0;
  const take = (bytes: number): number => {
    // readUIntBE reads at most six bytes. A longer number that is a place in a file begins with zeros.
    const skipped = Math.max(0, bytes - 6);
    const value = bytes === 0 ? 0 : box.readUIntBE(at + skipped, bytes - skipped);
    at += bytes;
    return value;
  };
  try {
    const version = take(4) >>> 24;
    const sizes = take(2);
    const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
    const indexSize = version === 0 ? 0 : sizes & 15;
    const items = Math.min(take(version < 2 ? 2 : 4), maxEntries);
    for (let item = 0; item < items; item++) {
      const id = take(version < 2 ? 2 : 4);
      if (version > 0) at += 2;
      at += 2;
      const base = take(baseSize);
      const extents = Math.min(take(2), maxEntries);
      for (let extent = 0; extent < extents; extent++) {
        at += indexSize;
        const offset = base + take(offsetSize);
        const length = take(lengthSize);
        if (id === wanted) return { offset, length };
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}
