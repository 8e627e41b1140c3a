import type { ByteReader } from './byte-reader.ts';
import { type EmbeddedTexts, keepText, keywordOf, maxTextBytes } from './embedded-texts.ts';

/** Ids of elements of RFC 9559, section 5.1. `opened` are the ones that contain the tags. */
const segment = 0x18538067;
const cluster = 0x1f43b675;
const tags = 0x1254c367;
const tag = 0x7373;
const simpleTag = 0x67c8;
const tagName = 0x45a3;
const tagString = 0x4487;
const opened = new Set([segment, tags, tag]);

const maxElements = 100_000;

/** Reads the texts of a WebM or Matroska file: its tags by name. */
export async function readMatroskaTexts(file: ByteReader): Promise<EmbeddedTexts> {
  const texts: EmbeddedTexts = new Map();
  let elements = 0;
  const walk = async (start: number, end: number): Promise<void> => {
    let position = start;
    while (position < end && elements++ < maxElements) {
      const element = await readElement(file, position, end);
      if (element === undefined) return;
      if (element.id === simpleTag) await readSimpleTag(file, element, texts);
      else if (opened.has(element.id)) await walk(element.start, element.end);
      // A cluster of unknown length ends where the next one begins. Such a file is a live recording, without tags.
      else if (element.id === cluster && element.unknown) return;
      position = element.end;
    }
  };
  await walk(0, file.sizeBytes);
  return texts;
}

interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly unknown: boolean;
}

async function readSimpleTag(file: ByteReader, whole: Element, texts: EmbeddedTexts): Promise<void> {
  let name = '';
  let position = whole.start;
  while (position < whole.end) {
    const element = await readElement(file, position, whole.end);
    if (element === undefined) return;
    const length = element.end - element.start;
    if (element.id === tagName && length <= 64)
      name = (await file.read(element.start, length)).toString('utf8');
    else if (element.id === tagString && length <= maxTextBytes && keywordOf(name) !== undefined)
      keepText(texts, keywordOf(name), await file.read(element.start, length));
    position = element.end;
  }
}

/** Reads the element at a position. Returns undefined at the end of the file or if the data is damaged. */
async function readElement(file: ByteReader, position: number, end: number): Promise<Element | undefined> {
  const head = await file.read(position, 12);
  const idBytes = numberBytes(head[0]);
  if (idBytes === undefined || idBytes > 4 || head.length <= idBytes) return undefined;
  const sizeBytes = numberBytes(head[idBytes]);
  if (sizeBytes === undefined || head.length < idBytes + sizeBytes) return undefined;
  const id = head.readUIntBE(0, idBytes);
  const size = readSize(head.subarray(idBytes, idBytes + sizeBytes));
  const start = position + idBytes + sizeBytes;
  if (size === undefined) return { id, start, end, unknown: true };
  if (start + size > end) return undefined;
  return { id, start, end: start + size, unknown: false };
}

/** Returns the length of a number: the leading zeros of its first byte give it. */
function numberBytes(first: number | undefined): number | undefined {
  return first === undefined || first === 0 ? undefined : Math.clz32(first) - 23;
}

/** Returns the size, or undefined if it consists of ones only: then the length is unknown. */
function readSize(bytes: Buffer): number | undefined {
  const marker = 1n << BigInt(bytes.length * 7);
  const value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) - marker;
  return value === marker - 1n ? undefined : Number(value);
}
