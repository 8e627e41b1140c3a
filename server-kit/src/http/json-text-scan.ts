import type { ByteBuffer } from './byte-buffer.ts';

/** A problem of a text that is valid JSON. */
export type TextIssue = 'holds U+0000' | 'holds a lone surrogate';

const quote = 0x22;
const backslash = 0x5c;
const lowerU = 0x75;
/** The character that an escape means, by the character after the backslash; 0 when JSON has no such escape. */
const shortEscapes = new Uint8Array(256);
for (const [byte, meant] of Object.entries({
  '"': '"',
  '/': '/',
  '\\': '\\',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}))
  shortEscapes[byte.charCodeAt(0)] = meant.charCodeAt(0);

/** The values of hexadecimal digits; `noDigit` for other bytes. */
const noDigit = 16;
const digits = new Uint8Array(256).fill(noDigit);
for (const digit of '0123456789abcdefABCDEF') digits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/**
 * Bytes that are read one by one before four bytes are read at once. Starting that costs as much as some fifty bytes.
 */
const bytesBeforeWords = 256;

/**
 * Skips ASCII characters that need no handling, four bytes at once, which takes a fifth of the time. Returns the offset
 * where it stopped. It may stop too early, but never too late: a byte that borrows from the next byte in a subtraction
 * can make the next byte look like one that stops the scan.
 */
function skipPlainWords(bytes: Uint8Array, begin: number): number {
  let end = begin;
  if (bytes.length - end < bytesBeforeWords) return end;
  for (; ((bytes.byteOffset + end) & 3) !== 0; end++) {
    const byte = bytes[end] as number;
    if (byte === quote || byte === backslash || byte < 0x20 || byte >= 0x80) return end;
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + end, (bytes.length - end) >> 2);
  let passed = 0;
  for (; passed < words.length; passed++) {
    const word = words[passed] as number;
    // The highest bit of a byte is set when the byte is below a space, a quote, a backslash, or not ASCII.
    const isBelow = word - 0x20202020;
    const isQuote = (word ^ 0x22222222) - 0x01010101;
    const isBackslash = (word ^ 0x5c5c5c5c) - 0x01010101;
    if (((isBelow | isQuote | isBackslash | word) & 0x80808080) !== 0) break;
  }
  return end + 4 * passed;
}

/** Reads one JSON string that arrives in pieces, starting after its opening quote, and writes it into a buffer. */
export class JsonTextScan {
  /** Code points so far. */
  characters = 0;
  escaped = false;
  /** The closing quote was read. */
  ended = false;
  /** True after a byte that no JSON string may contain at that position. */
  broken = false;
  issue: TextIssue | undefined;
  readonly #into: ByteBuffer;
  readonly #decodes: boolean;
  /** The position in an escape: 0 outside of one, 1 after the backslash, then one more for each character. */
  #step = 0;
  #unit = 0;
  /** The first half of a surrogate pair, while the second half is still missing. */
  #high = 0;

  /** @param decodes when true, resolves escapes and omits the quotes; when false, copies the text unchanged */
  constructor(into: ByteBuffer, decodes: boolean) {
    this.#into = into;
    this.#decodes = decodes;
    if (!decodes) into.push(quote);
  }

  /**
   * Continues at `begin`. Returns the offset where it stopped: at the end of the bytes, after the closing quote, or
   * after an invalid byte.
   */
  read(bytes: Uint8Array, begin: number): number {
    let i = begin;
    while (i < bytes.length && !this.ended && !this.broken)
      if (this.#step > 0) this.#readEscape(bytes[i++] as number);
      else {
        i = this.#readPlain(bytes, i);
        if (i === bytes.length) break;
        const size = this.#readWholeEscape(bytes, i);
        if (size > 0) i += size;
        else this.#readMark(bytes[i++] as number);
      }
    return i;
  }

  /** Reads up to a quote, a backslash or a forbidden byte. */
  #readPlain(bytes: Uint8Array, begin: number): number {
    let end = begin;
    let { characters } = this;
    for (let wordsAt = begin + bytesBeforeWords; end < bytes.length; end++) {
      if (end === wordsAt) {
        end = skipPlainWords(bytes, end);
        characters += end - wordsAt;
        wordsAt = end + bytesBeforeWords;
        if (end === bytes.length) break;
      }
      const byte = bytes[end] as number;
      if (byte === quote || byte === backslash || byte < 0x20) break;
      // Continuation bytes of UTF-8 do not count as characters.
      if ((byte & 0xc0) !== 0x80) characters++;
    }
    this.characters = characters;
    if (end > begin) {
      this.#endPair();
      this.#into.append(bytes, begin, end);
    }
    return end;
  }

  #readMark(byte: number): void {
    if (byte === backslash) {
      this.escaped = true;
      this.#step = 1;
      if (!this.#decodes) this.#into.push(byte);
    } else if (byte === quote) {
      this.#endPair();
      this.ended = true;
      if (!this.#decodes) this.#into.push(byte);
    } else this.broken = true;
  }

  /**
   * Reads an escape at once when all its bytes have arrived, and returns its length; else returns 0. Some texts consist
   * only of escapes.
   */
  #readWholeEscape(bytes: Uint8Array, begin: number): number {
    if (bytes[begin] !== backslash || begin + 6 > bytes.length) return 0;
    let size = 2;
    let unit = shortEscapes[bytes[begin + 1] as number] as number;
    if (bytes[begin + 1] === lowerU) {
      size = 6;
      for (let i = begin + 2; i < begin + 6; i++) {
        const digit = digits[bytes[i] as number] as number;
        if (digit === noDigit) return 0;
        unit = unit * 16 + digit;
      }
    } else if (unit === 0) return 0;
    this.escaped = true;
    if (!this.#decodes) this.#into.append(bytes, begin, begin + size);
    this.#addUnit(unit);
    return size;
  }

  #readEscape(byte: number): void {
    if (!this.#decodes) this.#into.push(byte);
    if (this.#step === 1 && byte !== lowerU) {
      const meant = shortEscapes[byte] as number;
      if (meant === 0) this.broken = true;
      else this.#addUnit(meant);
      this.#step = 0;
    } else if (this.#step === 1) {
      this.#unit = 0;
      this.#step = 2;
    } else {
      const digit = digits[byte] as number;
      if (digit === noDigit) this.broken = true;
      this.#unit = this.#unit * 16 + digit;
      if (++this.#step < 6) return;
      this.#step = 0;
      this.#addUnit(this.#unit);
    }
  }

  /** Adds a UTF-16 code unit that was written as an escape. */
  #addUnit(unit: number): void {
    if (unit >= 0xdc00 && unit <= 0xdfff) {
      if (this.#high === 0) this.issue ??= 'holds a lone surrogate';
      else this.#addCharacter(0x10000 + ((this.#high - 0xd800) << 10) + unit - 0xdc00);
      this.#high = 0;
      return;
    }
    this.#endPair();
    this.characters++;
    if (unit === 0) this.issue ??= 'holds U+0000';
    if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
    else this.#addCharacter(unit);
  }

  #endPair(): void {
    if (this.#high !== 0) this.issue ??= 'holds a lone surrogate';
    this.#high = 0;
  }

  /** Writes the character as UTF-8. */
  #addCharacter(code: number): void {
    if (!this.#decodes) return;
    const into = this.#into;
    if (code < 0x80) return into.push(code);
    if (code < 0x800) into.push(0xc0 | (code >> 6));
    else {
      if (code < 0x10000) into.push(0xe0 | (code >> 12));
      else {
        into.push(0xf0 | (code >> 18));
        into.push(0x80 | ((code >> 12) & 0x3f));
      }
      into.push(0x80 | ((code >> 6) & 0x3f));
    }
    into.push(0x80 | (code & 0x3f));
  }
}
