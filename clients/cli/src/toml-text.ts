/** An entry of an inline table: the parts of its key, and its position in the text. */
export type TomlEntry = { path: string[]; begin: number; end: number };

/** One statement of a TOML file, over one or more lines: the head of a table, or a key with its value. */
export type TomlStatement =
  | (TomlEntry & { kind: 'table' | 'table of a list' })
  | (TomlEntry & {
      kind: 'value';
      /** Position of the value. `entries` has the entries of an inline table. */
      value: { begin: number; end: number; entries: TomlEntry[] | undefined };
    });

/**
 * Returns the statements of a TOML 1.0 file. Skips values without reading them, and does not detect duplicates. A
 * statement reaches from the start of its first line to the end of its last, including the line break.
 *
 * @throws SyntaxError with the line number when the text is not TOML
 */
export function tomlStatements(text: string): TomlStatement[] {
  return new TomlScanner(text).statements();
}

const bareKey = /[A-Za-z0-9_-]+/y;
const spaces = /[ \t]*/y;
const restOfLine = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const blank = /(?:[ \t\r\n]+|#[^\n]*)*/y;
/**
 * Numbers, dates with one space before the time, and words. Errors in them are left to the program that reads the file.
 */
const plainValue =
  /(?:\d{4}-\d\d-\d\d[ Tt])?(?:[+-]?\d[\w.+:-]*|[+-]?(?:inf|nan)\b|true\b|false\b)|\d{4}-\d\d-\d\d/y;
const strings = [
  /"""(?:[^\\]|\\[^])*?"{3,5}(?!")/y,
  /'''[^]*?'{3,5}(?!')/y,
  /"(?:[^"\\\r\n]|\\[^\r\n])*"/y,
  /'[^'\r\n]*'/y,
];

class TomlScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  statements(): TomlStatement[] {
    const found: TomlStatement[] = [];
    if (this.#text.startsWith('\uFEFF')) this.#at = 1;
    for (;;) {
      this.#match(blank);
      if (this.#at === this.#text.length) return found;
      const lineBegin = Math.max(this.#text.lastIndexOf('\n', this.#at - 1) + 1, 0);
      const begin = this.#text.startsWith('\uFEFF') ? Math.max(lineBegin, 1) : lineBegin;
      found.push(this.#next() === '[' ? this.#head(begin) : this.#pair(begin));
    }
  }

  #head(begin: number): TomlStatement {
    const isList = this.#text.startsWith('[[', this.#at);
    this.#at += isList ? 2 : 1;
    const path = this.#key();
    this.#expect(isList ? ']]' : ']');
    this.#endLine();
    return { kind: isList ? 'table of a list' : 'table', path, begin, end: this.#at };
  }

  #pair(begin: number): TomlStatement {
    const path = this.#key();
    this.#expect('=');
    this.#match(spaces);
    const value = this.#value();
    this.#endLine();
    return { kind: 'value', path, begin, end: this.#at, value };
  }

  #key(): string[] {
    const path: string[] = [];
    do {
      this.#match(spaces);
      const first = this.#next();
      const [quoted] = first === '"' || first === "'" ? [this.#string()] : [];
      const part = quoted === undefined ? this.#match(bareKey) : textOf(quoted);
      if (part === undefined || part === '') this.#fail('there is no key');
      path.push(part);
      this.#match(spaces);
    } while (this.#takes('.'));
    return path;
  }

  #value(): { begin: number; end: number; entries: TomlEntry[] | undefined } {
    const begin = this.#at;
    const first = this.#next();
    let entries: TomlEntry[] | undefined;
    if (first === '{') entries = this.#inlineTable();
    else if (first === '[') this.#list();
    else if (first === '"' || first === "'") this.#string();
    else if (!this.#match(plainValue)) this.#fail('there is no value');
    return { begin, end: this.#at, entries };
  }

  #list(): void {
    this.#at += 1;
    for (;;) {
      this.#match(blank);
      if (this.#takes(']')) return;
      this.#value();
      this.#match(blank);
      if (!this.#takes(',') && this.#next() !== ']') this.#fail('a list does not end');
    }
  }

  #inlineTable(): TomlEntry[] {
    const entries: TomlEntry[] = [];
    this.#at += 1;
    for (;;) {
      this.#match(spaces);
      if (this.#takes('}')) return entries;
      const begin = this.#at;
      const path = this.#key();
      this.#expect('=');
      this.#match(spaces);
      this.#value();
      entries.push({ path, begin, end: this.#at });
      this.#match(spaces);
      if (!this.#takes(',') && this.#next() !== '}') this.#fail('an inline table does not end');
    }
  }

  #string(): string {
    for (const shape of strings) {
      const found = this.#match(shape);
      if (found !== undefined) return found;
    }
    return this.#fail('a text does not end');
  }

  #endLine(): void {
    if (this.#match(restOfLine) === undefined) this.#fail('something follows that does not belong there');
  }

  #next(): string | undefined {
    return this.#text[this.#at];
  }

  #takes(mark: string): boolean {
    const found = this.#text.startsWith(mark, this.#at);
    if (found) this.#at += mark.length;
    return found;
  }

  #expect(mark: string): void {
    this.#match(spaces);
    if (!this.#takes(mark)) this.#fail(`${mark} is missing`);
  }

  /** Returns the text that matches at the current position, and moves past it. `undefined` if nothing matches. */
  #match(shape: RegExp): string | undefined {
    shape.lastIndex = this.#at;
    const [found] = shape.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(message: string): never {
    throw new SyntaxError(`line ${this.#text.slice(0, this.#at).split('\n').length}: ${message}`);
  }
}

const escapes: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' };

/** Returns the text of a quoted key. */
function textOf(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith("'")) return inner;
  return inner.replaceAll(
    /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g,
    (_, short?: string, long?: string, one = '') =>
      short === undefined && long === undefined
        ? (escapes[String(one)] ?? String(one))
        : String.fromCodePoint(Math.min(Number.parseInt(short ?? long ?? '', 16), 0x10ffff)),
  );
}
