import type { ByteBuffer } from './byte-buffer.ts';

/** What is wrong with a text that is JSON all the same. */
export type TextIssue = 'holds U+0000' | 'holds a lone surrogate';

const quote = 0x22;
const backslash = 0x5c;
const lowerU = 0x75;
/** What is meant by the character after a backslash; 0 where it is none of JSON. */
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

/** What hexadecimal digits stand for. */
const noDigit = 16;
const digits = new Uint8Array(256).fill(noDigit);
for (const digit of '0123456789abcdefABCDEF') digits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** Read one by one before four bytes at once are tried: what begins that costs as much as some fifty bytes. */
const bytesBeforeWords = 256;

/**
 * Passes over ASCII that means itself, four bytes at once, which takes a fifth of the time; returns where that ends. It may
 * end too early, never too late: a byte that borrows from the next in a subtraction makes that look like one that ends it.
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
    // The highest bit of a byte is set where it is below a space, a quote, a backslash, or not of ASCII.
    const isBelow = word - 0x20202020;
    const isQuote = (word ^ 0x22222222) - 0x01010101;
    const isBackslash = (word ^ 0x5c5c5c5c) - 0x01010101;
    if (((isBelow | isQuote | isBackslash | word) & 0x80808080) !== 0) break;
  }
  return end + 4 * passed;
}

/** Reads one JSON string that comes in pieces, from behind its first quote, and puts it into a buffer. */
export class JsonTextScan {
  /** Code points so far. */
  characters = 0;
  escaped = false;
  /** The closing quote was read. */
  ended = false;
  /** No text of JSON goes on like this. */
  broken = false;
  issue: TextIssue | undefined;
  readonly #into: ByteBuffer;
  readonly #decodes: boolean;
  /** Of an escape: 0 outside of one, 1 after the backslash, then one more for each character. */
  #step = 0;
  #unit = 0;
  /** The first half of a surrogate pair, while its second is to come. */
  #high = 0;

  /** `decodes`: escapes are resolved, and the quotes left out; else it is copied as it stands. */
  constructor(into: ByteBuffer, decodes: boolean) {
    this.#into = into;
    this.#decodes = decodes;
    if (!decodes) into.push(quote);
  }

  /** Reads on from `begin`; returns where it stopped: at the end, behind the closing quote, or where it broke. */
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

  /** Up to a quote, a backslash or what must not stand here. */
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
      // The bytes that go on with a character of UTF-8 are none of their own.
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

  /** An escape that has all come, at once; else 0. Some texts are made of nothing else. */
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

  /** A UTF-16 code unit that was written as an escape. */
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

  /** As UTF-8. */
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
