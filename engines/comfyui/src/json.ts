/**
 * JSON in workflows. Seeds are 64-bit integers that must keep every digit, Python writes NaN and Infinity, and the
 * order of keys matters. So integers beyond 2^53 are bigints, NaN and the infinities are null, and objects are maps.
 */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

export interface JsonLimits {
  /** Characters. */
  readonly maxLength: number;
  readonly maxDepth: number;
  /** Number of values of all kinds, without keys. */
  readonly maxValues: number;
}

export const jsonLimits: JsonLimits = { maxLength: 16 * 1024 * 1024, maxDepth: 100, maxValues: 2_000_000 };

/** The only error of `readJson`: the text is no JSON, or exceeds the limits. The message is a sentence. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/**
 * Reads JSON text, including Python's NaN and infinities. If a key occurs twice, the last value counts.
 *
 * @throws JsonError
 */
export function readJson(text: string, limits: JsonLimits = jsonLimits): Json {
  if (text.length > limits.maxLength) throw new JsonError('The JSON is too long.');
  return new Reader(text, limits).whole();
}

/** Returns JSON text without spaces. Bigints keep their digits, maps keep their order. */
export function writeJson(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  return `{${Array.from(value, ([key, one]) => `${JSON.stringify(key)}:${writeJson(one)}`).join(',')}}`;
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

/** Returns the value at a path of keys and positions, or undefined. */
export function valueAt(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let found = value;
  for (const step of path) {
    if (typeof step === 'string') found = isObject(found) ? found.get(step) : undefined;
    else found = isArray(found) ? found[step] : undefined;
  }
  return found;
}

/** Returns the text at a path, or an empty text. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** Returns true for equal JSON; 1 and 1n are equal. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one === other || writeJson(one) === writeJson(other);
}

const literals: readonly (readonly [word: string, value: Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', null],
  ['Infinity', null],
  ['-Infinity', null],
];
const numberShape = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
/** No integer in a real workflow has more digits. An integer with a million digits would take long to read. */
const maxIntegerDigits = 40;

class Reader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  whole(): Json {
    if (this.#text.startsWith('\uFEFF')) this.#at = 1;
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #value(): Json {
    if (++this.#values > this.#limits.maxValues) throw new JsonError('The JSON has too many values.');
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === '{') return this.#nested(() => this.#object());
    if (next === '[') return this.#nested(() => this.#array());
    if (next === '"') return this.#string();
    for (const [word, value] of literals) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #nested<T extends Json>(read: () => T): T {
    if (++this.#depth > this.#limits.maxDepth) throw new JsonError('The JSON is nested too deeply.');
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    const object = new Map<string, Json>();
    if (this.#take('}')) return object;
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#unexpected();
      const key = this.#string();
      if (!this.#take(':')) throw this.#unexpected();
      object.set(key, this.#value());
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#unexpected();
    return object;
  }

  #array(): Json[] {
    const array: Json[] = [];
    if (this.#take(']')) return array;
    do array.push(this.#value());
    while (this.#take(','));
    if (!this.#take(']')) throw this.#unexpected();
    return array;
  }

  #string(): string {
    this.#at++;
    let value = '';
    for (;;) {
      const start = this.#at;
      while (isPlain(this.#text.charCodeAt(this.#at))) this.#at++;
      value += this.#text.slice(start, this.#at);
      const next = this.#text[this.#at];
      if (next === '"') {
        this.#at++;
        return value;
      }
      if (next !== '\\') throw this.#unexpected();
      value += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    if (letter === 'u') {
      const hex = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[\da-fA-F]{4}$/.test(hex)) throw this.#unexpected();
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = escapes[letter];
    if (character === undefined) throw this.#unexpected();
    this.#at += 2;
    return character;
  }

  #number(): number | bigint | null {
    numberShape.lastIndex = this.#at;
    const found = numberShape.exec(this.#text);
    if (found === null) throw this.#unexpected();
    this.#at = numberShape.lastIndex;
    const [digits, fraction, exponent] = found;
    const value = Number(digits);
    if (fraction === undefined && exponent === undefined && !Number.isSafeInteger(value)) {
      if (digits.length > maxIntegerDigits)
        throw new JsonError('The JSON holds a number of too many digits.');
      return BigInt(digits);
    }
    return Number.isFinite(value) ? value : null;
  }

  #take(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #unexpected(): JsonError {
    const found = this.#text[this.#at];
    return new JsonError(
      found === undefined
        ? 'The JSON ends too early.'
        : `The JSON has an unexpected ${JSON.stringify(found)} at character ${this.#at}.`,
    );
  }
}

/**
 * Returns true for a character inside a string that needs no treatment: no quote, backslash or control character, and
 * not the end of the text.
 */
function isPlain(code: number): boolean {
  return code >= 32 && code !== 34 && code !== 92;
}
