import { inflateSync } from 'node:zlib';
import { TooMuchToRead } from './byte-reader.ts';

/** Limit for one unpacked text. */
export const maxTextBytes = 16 * 1024 * 1024;
/** Limit for all texts of a file. Unpacking one text blocks the process. */
const maxInflatedBytes = 32 * 1024 * 1024;

/** Keywords under which programs store a workflow, or their own data instead, in a file. */
const keywords = ['prompt', 'workflow', 'comment', 'parameters'] as const;
export type Keyword = (typeof keywords)[number];

/**
 * Texts found in a file, by keyword. If two have the same keyword, the first counts. `read-workflow-file.ts` decides
 * which of them is the workflow.
 */
export type EmbeddedTexts = Map<Keyword, string>;

/**
 * Returns the keyword that a name means, in upper or lower case. Returns undefined for names that have nothing to do
 * with a workflow.
 */
export function keywordOf(name: string): Keyword | undefined {
  const lower = name.trim().toLowerCase();
  return keywords.find((keyword) => keyword === lower);
}

/** Keeps a text unless its keyword already has one, or the text is too long. */
export function keepText(texts: EmbeddedTexts, keyword: Keyword | undefined, bytes: Uint8Array): void {
  if (keyword === undefined || texts.has(keyword) || bytes.length > maxTextBytes) return;
  texts.set(keyword, decodeText(bytes));
}

/**
 * Unpacks one text of a file. Returns undefined for a text that is broken or too long.
 *
 * @throws TooMuchToRead
 */
export type Inflate = (bytes: Uint8Array) => Buffer | undefined;

/**
 * Creates the function for one file. A broken text counts with the maximum length, because its unpacked part is
 * unknown.
 */
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

/** Decodes UTF-8 if the text is UTF-8, else Latin-1. Drops the zero that ends some texts. */
function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return utf8.decode(text);
  } catch {
    return Buffer.from(text).toString('latin1');
  }
}
