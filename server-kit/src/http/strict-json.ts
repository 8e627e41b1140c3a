import { isUtf8 } from 'node:buffer';

/** JSON that two parsers might read differently, or too intricate to be honest. The message is what is said of `path`. */
export class JsonRefused extends Error {
  override name = 'JsonRefused';
  /** Where: `reference_images[2]`, `options.steps`; empty for the whole text. */
  readonly path: string;

  constructor(message: string, path: string, cause?: unknown) {
    super(message, { cause });
    this.path = path;
  }
}

export type StrictJsonOptions = {
  /** Levels of nesting. Default 32. */
  maxDepth?: number;
  /** Values in the whole text, so that reporting what is wrong with each of them stays cheap. Default 10,000. */
  maxValues?: number;
  /** Texts longer than this are not searched for repeated names. Default 256 kB. */
  maxSearchedForRepeats?: number;
};

const utf8 = new TextDecoder();

/**
 * Parses a JSON text (RFC 8259). Refused: bytes that are no UTF-8, repeated names in one object, `__proto__` and
 * `constructor.prototype`, U+0000 and lone surrogates in names and values, too many levels or values.
 * @throws JsonRefused
 */
export function parseStrictJson(body: Uint8Array, options: StrictJsonOptions = {}): unknown {
  if (!isUtf8(body)) throw new JsonRefused('is not valid UTF-8', '');
  const text = utf8.decode(body);
  // The scan comes first: nesting is refused before anything is built from it.
  scan(text, {
    maxDepth: options.maxDepth ?? 32,
    maxValues: options.maxValues ?? 10_000,
    findRepeats: body.length <= (options.maxSearchedForRepeats ?? 256 * 1024),
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonRefused('is not valid JSON', '', error);
  }
}

/** An object or array that the scan is inside of. */
type Level = {
  /** Undefined in an array. */
  names: Set<string> | undefined;
  /** The name whose value is being read; the position in an array. */
  at: string | number;
};

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * One pass over the text that looks at structure and strings alone. It does not judge grammar: JSON.parse does,
 * right after, so what is found in a text that is no JSON does not matter.
 */
function scan(text: string, limits: { maxDepth: number; maxValues: number; findRepeats: boolean }): void {
  const levels: Level[] = [];
  let values = 0;
  let nextIsName = false;
  // Where the next backslash stands: strings before it need no decoding.
  let escape = indexOrEnd(text, '\\', 0);

  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quote: {
        const begin = i;
        if (escape < begin) escape = indexOrEnd(text, '\\', begin);
        i = endOfString(text, begin);
        const escaped = escape < i;
        if (nextIsName || escaped) {
          const content = escaped ? decode(text.slice(begin, i + 1)) : text.slice(begin + 1, i);
          if (nextIsName) enterName(levels, content, limits.findRepeats);
          if (escaped) refuseUnstorable(content, levels);
          nextIsName = false;
        }
        break;
      }
      case openBrace:
      case openBracket: {
        const isObject = text.charCodeAt(i) === openBrace;
        levels.push({ names: isObject ? new Set() : undefined, at: isObject ? '' : 0 });
        if (levels.length > limits.maxDepth)
          throw new JsonRefused(`is nested deeper than ${limits.maxDepth} levels`, '');
        nextIsName = isObject;
        break;
      }
      case closeBrace:
      case closeBracket:
        levels.pop();
        nextIsName = false;
        break;
      case comma: {
        if (++values >= limits.maxValues)
          throw new JsonRefused(`holds more than ${limits.maxValues} values`, '');
        const level = levels.at(-1);
        nextIsName = level?.names !== undefined;
        if (typeof level?.at === 'number') level.at++;
        break;
      }
      default:
    }
  }
}

function enterName(levels: Level[], name: string, findRepeats: boolean): void {
  const level = levels.at(-1);
  if (level?.names === undefined) return;
  level.at = name;
  if (name === '__proto__' || (name === 'prototype' && levels.at(-2)?.at === 'constructor'))
    throw new JsonRefused('is not an allowed name', pathOf(levels));
  if (!findRepeats) return;
  if (level.names.has(name)) throw new JsonRefused('appears more than once', pathOf(levels));
  level.names.add(name);
}

function refuseUnstorable(content: string, levels: Level[]): void {
  if (content.includes('\0')) throw new JsonRefused('holds U+0000', pathOf(levels));
  if (!content.isWellFormed()) throw new JsonRefused('holds a lone surrogate', pathOf(levels));
}

/** Position of the quote that ends the string beginning at `begin`; the text's end when there is none. */
function endOfString(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = indexOrEnd(text, '"', end + 1);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (end === text.length || backslashes % 2 === 0) return end;
  }
}

function decode(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    // No JSON: the parse that follows says so.
    return '';
  }
}

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}

function pathOf(levels: Level[]): string {
  let path = '';
  for (const { at } of levels) path += typeof at === 'number' ? `[${at}]` : path === '' ? at : `.${at}`;
  return path.toWellFormed().replaceAll('\0', '\u{fffd}');
}
