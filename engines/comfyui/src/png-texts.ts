import type { ByteReader } from './byte-reader.ts';
import {
  createInflate,
  type EmbeddedTexts,
  type Inflate,
  keepText,
  keywordOf,
  maxTextBytes,
} from './embedded-texts.ts';

const signatureBytes = 8;

/**
 * Reads the texts of a PNG: the chunks `tEXt`, `zTXt` and `iTXt`, and the chunk `comf`. ComfyUI writes `comf` into
 * animations, because PIL allows no text after the images. A truncated file is no error.
 *
 * @throws TooMuchToRead
 */
export async function readPngTexts(file: ByteReader): Promise<EmbeddedTexts> {
  const texts: EmbeddedTexts = new Map();
  const inflate = createInflate();
  let position = signatureBytes;
  while (position + 12 <= file.sizeBytes) {
    const head = await file.read(position, 8);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    const read = chunkReaders[type];
    if (read !== undefined && length <= maxTextBytes) {
      const data = await file.read(position + 8, length);
      if (data.length === length) read(data, texts, inflate);
    }
    if (type === 'IEND') break;
    position += 12 + length;
  }
  return texts;
}

type ChunkReader = (data: Buffer, texts: EmbeddedTexts, inflate: Inflate) => void;

const chunkReaders: Readonly<Record<string, ChunkReader>> = {
  tEXt: readPlain,
  comf: readPlain,
  zTXt: readPacked,
  iTXt: readInternational,
};

function readPlain(data: Buffer, texts: EmbeddedTexts): void {
  const [name, rest] = splitAtZero(data);
  keepText(texts, keywordOf(name), rest);
}

/** Data: keyword, zero, method (0 is the only one), zlib data. */
function readPacked(data: Buffer, texts: EmbeddedTexts, inflate: Inflate): void {
  const [name, rest] = splitAtZero(data);
  const keyword = keywordOf(name);
  if (keyword === undefined || texts.has(keyword) || rest[0] !== 0) return;
  const text = inflate(rest.subarray(1));
  if (text !== undefined) keepText(texts, keyword, text);
}

/** Data: keyword, zero, compression flag, method, language, zero, translated keyword, zero, text. */
function readInternational(data: Buffer, texts: EmbeddedTexts, inflate: Inflate): void {
  const [name, rest] = splitAtZero(data);
  const keyword = keywordOf(name);
  if (keyword === undefined || texts.has(keyword) || rest.length < 2) return;
  const packed = rest[0] === 1;
  const [, afterLanguage] = splitAtZero(rest.subarray(2));
  const [, body] = splitAtZero(afterLanguage);
  const text = packed ? inflate(body) : body;
  if (text !== undefined) keepText(texts, keyword, text);
}

function splitAtZero(data: Buffer): [before: string, after: Buffer] {
  const zero = data.indexOf(0);
  if (zero < 0) return ['', Buffer.alloc(0)];
  return [data.toString('latin1', 0, zero), data.subarray(zero + 1)];
}
