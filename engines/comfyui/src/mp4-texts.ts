import { type Box, readBoxes } from './boxes.ts';
import type { ByteReader } from './byte-reader.ts';
import { type EmbeddedTexts, keepText, type Keyword, keywordOf, maxTextBytes } from './embedded-texts.ts';

/** Limit for the box with the names of all metadata. */
const maxKeysBytes = 1024 * 1024;

/**
 * Reads the texts of an MP4 or QuickTime file. These are metadata by name (boxes `keys` and `ilst`, as ffmpeg writes
 * them with `use_metadata_tags`), and the comment that video nodes write, in the forms of iTunes and QuickTime.
 */
export async function readMp4Texts(file: ByteReader): Promise<EmbeddedTexts> {
  const texts: EmbeddedTexts = new Map();
  const top = await readBoxes(file, { start: 0, end: file.sizeBytes });
  for (const movie of top.filter(({ type }) => type === 'moov')) {
    const inMovie = await readBoxes(file, movie);
    const userData = inMovie.filter(({ type }) => type === 'udta');
    const inUserData = (await Promise.all(userData.map((box) => readBoxes(file, box)))).flat();
    for (const box of [...inMovie, ...inUserData]) {
      if (box.type === 'meta') await readMetadata(file, box, texts);
      else if (box.type === '\xa9cmt') await readQuickTimeText(file, box, texts);
    }
  }
  return texts;
}

async function readMetadata(file: ByteReader, meta: Box, texts: EmbeddedTexts): Promise<void> {
  // In QuickTime the boxes begin at once. In ISO files four bytes of version and flags come before them.
  const start = (await file.read(meta.start, 4)).every((byte) => byte === 0) ? meta.start + 4 : meta.start;
  const boxes = await readBoxes(file, { start, end: meta.end });
  const names = await readKeys(
    file,
    boxes.find(({ type }) => type === 'keys'),
  );
  for (const list of boxes.filter(({ type }) => type === 'ilst')) {
    for (const item of await readBoxes(file, list)) {
      const keyword = keywordOfItem(item.type, names);
      if (keyword === undefined) continue;
      const data = (await readBoxes(file, item)).find(({ type }) => type === 'data');
      // The first eight bytes are the type and the language.
      if (data !== undefined) await readText(file, data.start + 8, data.end, keyword, texts);
    }
  }
}

/** An item's type is the position of its name in `keys`, counted from 1, or a name that iTunes defines. */
function keywordOfItem(type: string, names: readonly string[]): Keyword | undefined {
  if (type === '\xa9cmt') return 'comment';
  return keywordOf(names[Buffer.from(type, 'latin1').readUInt32BE(0) - 1] ?? '');
}

async function readKeys(file: ByteReader, box: Box | undefined): Promise<string[]> {
  if (box === undefined || box.end - box.start > maxKeysBytes) return [];
  const data = await file.read(box.start, box.end - box.start);
  const names: string[] = [];
  let position = 8;
  while (position + 8 <= data.length) {
    const size = data.readUInt32BE(position);
    if (size < 8 || position + size > data.length) break;
    // Apple's names begin with Apple's domain.
    names.push(data.toString('utf8', position + 8, position + size).replace(/^com\.apple\.quicktime\./, ''));
    position += size;
  }
  return names;
}

async function readQuickTimeText(file: ByteReader, box: Box, texts: EmbeddedTexts): Promise<void> {
  const head = await file.read(box.start, 4);
  if (head.length < 4) return;
  const end = Math.min(box.end, box.start + 4 + head.readUInt16BE(0));
  await readText(file, box.start + 4, end, 'comment', texts);
}

async function readText(
  file: ByteReader,
  start: number,
  end: number,
  keyword: Keyword,
  texts: EmbeddedTexts,
): Promise<void> {
  if (end > start && end - start <= maxTextBytes)
    keepText(texts, keyword, await file.read(start, end - start));
}
