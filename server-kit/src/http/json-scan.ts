import { ByteBuffer } from './byte-buffer.ts';
import { type JsonIssue, InvalidJson } from './invalid-json.ts';
import { JsonTextScan } from './json-text-scan.ts';
import type { TextLimits } from './text-limits.ts';
import { Utf8Check } from './utf8-check.ts';

/**
 * `JsonScan` enforces them; `service/src/validation/read-json-body.ts` and `studio/src/http/create-server.ts` have the
 * numbers for requests.
 */
export type JsonLimits = {
  /** Levels of nesting. */
  maxDepth: number;
  /** The maximum number of values in the whole text, so that reporting an issue for each of them stays cheap. */
  maxValues: number;
  maxNumberCharacters: number;
  /** The maximum size in bytes, without white space and without the texts that may be longer than this. */
  maxContentBytes: number;
  /**
   * For a JSON text up to this many bytes, all long texts and numbers are reported together with the issues of its
   * schema, and repeated names are reported too. In a larger JSON text the first issue ends the scan.
   */
  maxGatheredBytes: number;
  texts: TextLimits;
};

export type ScannedJson = {
  /** Contains an empty text in place of each long text. */
  value: unknown;
  /** Members of the outermost object that may be longer than `maxContentBytes`. */
  longTexts: ReadonlyMap<string, string>;
  issues: readonly JsonIssue[];
};

/** An object or array that contains the current position. */
type Level = {
  /** Undefined in an array. */
  names: Set<string> | undefined;
  /** The name whose value is being read; in an array, the position. */
  at: string | number;
  limits: TextLimits;
};

/** The text that is being read. */
type TextHere = {
  scan: JsonTextScan;
  /** True for the name of a member, false for a value. */
  isName: boolean;
  /** The offset of its first byte in the content. */
  begin: number;
  maxTextCharacters: number;
};

const maxIssues = 50;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const space = 0x20;

/** The kinds of bytes outside of texts: part of a number or word, white space, or a structural character. */
const word = 0;
const blank = 1;
const mark = 2;
const kinds = new Uint8Array(256);
for (const byte of Buffer.from(' \t\r\n')) kinds[byte] = blank;
for (const byte of Buffer.from('{}[],:"')) kinds[byte] = mark;

/**
 * Reads a JSON text (RFC 8259) while its bytes arrive, and parses the small rest at the end. Refuses bytes that are not
 * UTF-8, repeated names in one object, `__proto__` and `constructor.prototype`, U+0000 and lone surrogates, too many
 * levels or values, and texts and numbers that are too long. Does not keep white space and long texts for the parser,
 * so that the parser never has much work at once. JSON.parse checks the grammar, so the results for a text that is no
 * JSON do not matter.
 */
export class JsonScan {
  readonly #limits: JsonLimits;
  readonly #likelyBytes: number | undefined;
  readonly #content: ByteBuffer;
  readonly #utf8 = new Utf8Check();
  readonly #levels: Level[] = [];
  readonly #issues: JsonIssue[] = [];
  readonly #longTexts = new Map<string, ByteBuffer>();
  #received = 0;
  #values = 0;
  #nextIsName = false;
  #wordCharacters = 0;
  #wordIsNumber = false;
  #afterBlank = false;
  #repeated: string | undefined;
  #text: TextHere | undefined;

  /** @param announcedBytes the length that the client announced */
  constructor(limits: JsonLimits, announcedBytes?: number) {
    this.#limits = limits;
    this.#likelyBytes = announcedBytes;
    this.#content = new ByteBuffer(Math.min(announcedBytes ?? 0, limits.maxGatheredBytes) || undefined);
  }

  /** @throws InvalidJson as soon as the text is known to be invalid */
  add(bytes: Uint8Array): void {
    this.#received += bytes.length;
    if (!this.#utf8.add(bytes)) this.#refuse('is not valid UTF-8', '');
    for (let i = 0; i < bytes.length;)
      i = this.#text === undefined ? this.#structure(bytes, i) : this.#inText(bytes, i);
    if (this.#received > this.#limits.maxGatheredBytes && this.#issues.length > 0)
      throw new InvalidJson(this.#issues);
  }

  /**
   * Ends the scan. The caller must call this once, after adding all bytes.
   * @throws InvalidJson
   */
  end(): ScannedJson {
    if (!this.#utf8.whole) this.#refuse('is not valid UTF-8', '');
    if (this.#repeated !== undefined && this.#received <= this.#limits.maxGatheredBytes)
      this.#refuse('appears more than once', this.#repeated);
    return {
      value: this.#parse(),
      longTexts: new Map([...this.#longTexts].map(([name, bytes]) => [name, bytes.takeText()])),
      issues: this.#issues,
    };
  }

  #parse(): unknown {
    try {
      const text = this.#content.takeText();
      // A byte order mark at the beginning is not part of the text.
      return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    } catch (error) {
      throw new InvalidJson([...this.#issues, { path: '', message: 'is not valid JSON' }], error);
    }
  }

  /** Reads the bytes between texts, up to the first byte of a text. Returns the offset where it stopped. */
  #structure(bytes: Uint8Array, begin: number): number {
    let i = begin;
    while (i < bytes.length) {
      const byte = bytes[i] as number;
      const kind = kinds[byte] as number;
      if (kind === word) i = this.#inWord(bytes, i);
      else {
        this.#wordCharacters = 0;
        if (kind === blank) i = this.#overBlank(bytes, i);
        else {
          this.#afterBlank = false;
          i++;
          if (byte === quote) {
            this.#beginText();
            return i;
          }
          this.#content.push(byte);
          this.#readMark(byte);
        }
      }
    }
    this.#checkContent();
    return i;
  }

  #inWord(bytes: Uint8Array, begin: number): number {
    this.#afterBlank = false;
    if (this.#wordCharacters === 0) {
      this.#countValue();
      this.#wordIsNumber = isNumberStart(bytes[begin] as number);
    }
    let end = begin;
    while (end < bytes.length && kinds[bytes[end] as number] === word) end++;
    const { maxNumberCharacters } = this.#limits;
    const before = this.#wordCharacters;
    this.#wordCharacters += end - begin;
    if (this.#wordCharacters > maxNumberCharacters) {
      // No other word of JSON is this long.
      if (!this.#wordIsNumber) this.#refuse('is not valid JSON', '');
      if (before <= maxNumberCharacters)
        this.#note(`must be a number of at most ${maxNumberCharacters} characters`);
    }
    this.#content.append(bytes, begin, end);
    return end;
  }

  /** Replaces a run of white space by one space. Without any space, two numbers would become one. */
  #overBlank(bytes: Uint8Array, begin: number): number {
    if (!this.#afterBlank) this.#content.push(space);
    this.#afterBlank = true;
    let end = begin + 1;
    while (end < bytes.length && kinds[bytes[end] as number] === blank) end++;
    return end;
  }

  #readMark(byte: number): void {
    const levels = this.#levels;
    if (byte === openBrace || byte === openBracket) {
      this.#countValue();
      const isObject = byte === openBrace;
      const limits = this.#limitsHere();
      levels.push({ names: isObject ? new Set() : undefined, at: isObject ? '' : 0, limits });
      if (levels.length > this.#limits.maxDepth)
        this.#refuse(`is nested deeper than ${this.#limits.maxDepth} levels`, '');
      this.#nextIsName = isObject;
    } else if (byte === comma) {
      const level = levels.at(-1);
      this.#nextIsName = level?.names !== undefined;
      if (typeof level?.at === 'number') level.at++;
    } else if (byte !== 0x3a) {
      levels.pop();
      this.#nextIsName = false;
    }
  }

  #countValue(): void {
    if (++this.#values > this.#limits.maxValues)
      this.#refuse(`holds more than ${this.#limits.maxValues} values`, '');
  }

  #beginText(): void {
    const isName = this.#nextIsName;
    if (!isName) this.#countValue();
    const { maxTextCharacters } = this.#limitsHere();
    const level = this.#levels[0];
    const isLong =
      !isName &&
      maxTextCharacters > this.#limits.maxContentBytes &&
      this.#levels.length === 1 &&
      level?.names !== undefined;
    const into = isLong ? new ByteBuffer(this.#likelyBytes) : this.#content;
    if (isLong) {
      this.#longTexts.set(level?.at as string, into);
      this.#content.append(emptyText, 0, emptyText.length);
    }
    const begin = this.#content.length;
    this.#text = { scan: new JsonTextScan(into, isLong), isName, begin, maxTextCharacters };
  }

  #inText(bytes: Uint8Array, begin: number): number {
    const text = this.#text as TextHere;
    const { scan, isName, maxTextCharacters } = text;
    const before = scan.characters;
    const end = scan.read(bytes, begin);
    if (scan.broken) this.#refuse('is not valid JSON', '');
    if (isName) {
      if (scan.ended) this.#enterName(text);
    } else {
      if (scan.characters > maxTextCharacters && before <= maxTextCharacters)
        this.#note(`must be at most ${maxTextCharacters} characters`);
      if (scan.issue !== undefined) this.#refuse(scan.issue);
    }
    if (scan.ended) {
      this.#text = undefined;
      this.#nextIsName = false;
    }
    this.#checkContent();
    return end;
  }

  #enterName({ scan, begin }: TextHere): void {
    const levels = this.#levels;
    const level = levels.at(-1);
    if (level?.names === undefined) return;
    const literal = this.#content.slice(begin).toString('utf8');
    const name = scan.escaped ? (JSON.parse(literal) as string) : literal.slice(1, -1);
    level.at = name;
    if (scan.issue !== undefined) this.#refuse(scan.issue);
    if (name === '__proto__' || (name === 'prototype' && levels.at(-2)?.at === 'constructor'))
      this.#refuse('is not an allowed name');
    if (level.names.has(name)) this.#repeated ??= pathOf(levels);
    level.names.add(name);
    // When a name appears twice, the second value counts, as in JSON.parse.
    if (levels.length === 1) this.#longTexts.delete(name);
  }

  #limitsHere(): TextLimits {
    const level = this.#levels.at(-1);
    if (level === undefined) return this.#limits.texts;
    const { limits, at } = level;
    return typeof at === 'number' ? limits.items : (limits.names.get(at) ?? limits.others);
  }

  #checkContent(): void {
    if (this.#content.length > this.#limits.maxContentBytes)
      this.#refuse(`holds more than ${this.#limits.maxContentBytes} bytes`, '');
  }

  #note(message: string): void {
    if (this.#issues.length < maxIssues) this.#issues.push({ path: pathOf(this.#levels), message });
  }

  #refuse(message: string, path = pathOf(this.#levels)): never {
    throw new InvalidJson([...this.#issues, { path, message }]);
  }
}

const emptyText = Buffer.from('""');

function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}

function pathOf(levels: readonly Level[]): string {
  let path = '';
  for (const { at } of levels) path += typeof at === 'number' ? `[${at}]` : path === '' ? at : `.${at}`;
  return path.toWellFormed().replaceAll('\0', '\u{fffd}');
}
