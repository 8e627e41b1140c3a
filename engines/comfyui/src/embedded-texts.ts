import { inflateSync } from 'node:zlib';

/** Of one text, unpacked. */
export const maxTextBytes = 16 * 1024 * 1024;

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

/** Unpacks zlib data; undefined where it is broken or would be longer than a text may be. */
export function inflateText(bytes: Uint8Array): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: maxTextBytes });
  } catch {
    return undefined;
  }
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
