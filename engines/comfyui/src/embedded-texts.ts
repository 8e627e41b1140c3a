import { inflateSync } from 'node:zlib';
import { TooMuchToRead } from './byte-reader.ts';

/** Of one text, unpacked. */
export const maxTextBytes = 16 * 1024 * 1024;
/** Of all texts of a file. Each is unpacked at one go, in which nothing else of the process runs. */
const maxInflatedBytes = 32 * 1024 * 1024;

/** Keywords under which programs put a workflow, or what they have instead of one, into a file. */
const keywords = ['prompt', 'workflow', 'comment', 'parameters'] as const;
export type Keyword = (typeof keywords)[number];

/** Texts found in a file, by keyword. Of two with one keyword the first counts. */
export type EmbeddedTexts = Map<Keyword, string>;

/** The keyword that is meant by a name in any case; undefined for names that tell nothing of a workflow. */
export function keywordOf(name: string): Keyword | undefined {
  const lower = name.trim().toLowerCase();
  return keywords.find((keyword) => keyword === lower);
}

/** Keeps a text unless there is one under its keyword, or it is too long. */
export function keepText(texts: EmbeddedTexts, keyword: Keyword | undefined, bytes: Uint8Array): void {
  if (keyword === undefined || texts.has(keyword) || bytes.length > maxTextBytes) return;
  texts.set(keyword, decodeText(bytes));
}

/** Unpacks the texts of one file, undefined for one that is broken or longer than a text may be. @throws TooMuchToRead */
export type Inflate = (bytes: Uint8Array) => Buffer | undefined;

/** For one file. One that is broken counts as the longest there may be: how much of it was unpacked is not known. */
export function createInflate(): Inflate {
  let bytesLeft = maxInflatedBytes;
  return (bytes) => {
    if (bytesLeft <= 0) throw new TooMuchToRead('Its texts are too large when they are unpacked.');
    try {
      const text = inflateSync(bytes, { maxOutputLength: maxTextBytes });
      bytesLeft -= text.length;
      return text;
    } catch {
      bytesLeft -= maxTextBytes;
      return undefined;
    }
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** UTF-8 where it is, else Latin-1; without the zero that ends some texts. */
function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return utf8.decode(text);
  } catch {
    return Buffer.from(text).toString('latin1');
  }
}
