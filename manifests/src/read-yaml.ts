import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';

/** A value of a file, with the line on which it begins (1-based). */
export type YamlNode = { readonly line: number } & (
  | { readonly type: 'scalar'; readonly value: string | number | boolean | null }
  | { readonly type: 'list'; readonly items: readonly YamlNode[] }
  | { readonly type: 'map'; readonly entries: ReadonlyMap<string, YamlEntry> }
);
/** `line` is the line of the key. */
export type YamlEntry = { readonly line: number; readonly node: YamlNode };
export type YamlMap = Extract<YamlNode, { type: 'map' }>;

const maxBytes = 512 * 1024;
const maxDepth = 24;
const maxNodes = 20_000;
/** Problems that are reported for a file that cannot be parsed. */
const maxProblems = 20;
const tooDeep = `Values are nested deeper than ${maxDepth} levels.`;

/**
 * Reads a file of YAML 1.2 (core schema) or JSON that an operator writes: one document, without anchors, tags and merge
 * keys. Refuses integers beyond 2^53, because they would change their value.
 */
export function readYaml(
  text: string,
):
  | { readonly root: YamlNode; readonly problems?: undefined }
  | { readonly root?: undefined; readonly problems: readonly Problem[] } {
  if (Buffer.byteLength(text) > maxBytes)
    return { problems: [invalid(1, `The file is larger than ${maxBytes / 1024} KiB.`)] };
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    intAsBigInt: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  if ('empty' in documents || documents[0]?.contents == null)
    return { problems: [invalid(1, 'The file is empty.')] };
  const [document, second] = documents;
  const problems = [...document.errors, ...document.warnings].map(({ code, message, pos }) =>
    invalid(lineAt(pos[0]), code === 'RESOURCE_EXHAUSTION' ? tooDeep : `This is not valid YAML: ${message}.`),
  );
  if (second !== undefined)
    problems.push(invalid(lineAt(second.range[0]), 'A file holds one document; here another begins.'));
  if (problems.length > 0) return { problems: withoutRepeats(problems).slice(0, maxProblems) };
  try {
    return { root: new YamlReader(lineAt).read(document.contents, 0, 1) };
  } catch (error) {
    if (error instanceof NotTaken) return { problems: [error.problem] };
    throw error;
  }
}

function invalid(line: number, message: string): Problem {
  return { code: 'invalid_yaml', message, line };
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((one) => [`${one.line}: ${one.message}`, one])).values()];
}

class NotTaken extends Error {
  readonly problem: Problem;
  constructor(line: number, message: string) {
    super(message);
    this.problem = invalid(line, message);
  }
}

class YamlReader {
  readonly #lineAt: (offset: number) => number;
  #nodes = 0;

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt;
  }

  /** `line` is the line of the key or item, used where the value itself is missing. */
  read(node: Node | null, depth: number, line: number): YamlNode {
    if (node === null) return { line, type: 'scalar', value: null };
    const at = node.range == null ? line : this.#lineAt(node.range[0]);
    if (++this.#nodes > maxNodes) throw new NotTaken(at, `The file has more than ${maxNodes} values.`);
    if (depth > maxDepth) throw new NotTaken(at, tooDeep);
    if (isAlias(node) || node.anchor !== undefined)
      throw new NotTaken(
        at,
        'Anchors and aliases (& and *) are not taken; write the value out, or use "like".',
      );
    if (node.tag !== undefined) throw new NotTaken(at, 'Tags (!) are not taken.');
    if (isScalar(node)) return { line: at, type: 'scalar', value: readScalar(node.value, at) };
    if (isSeq<Node | null>(node))
      return {
        line: at,
        type: 'list',
        items: node.items.map((item) => this.read(item, depth + 1, at)),
      };
    if (isMap<Node, Node | null>(node)) {
      const entries = new Map<string, YamlEntry>();
      for (const { key, value } of node.items) {
        const keyLine = key.range == null ? at : this.#lineAt(key.range[0]);
        const name = this.#keyOf(key, keyLine);
        if (entries.has(name)) throw new NotTaken(keyLine, `The key ${name} is there twice.`);
        entries.set(name, { line: keyLine, node: this.read(value, depth + 1, keyLine) });
      }
      return { line: at, type: 'map', entries };
    }
    throw new NotTaken(at, 'This is neither a value, a list nor a map.');
  }

  /** Returns a key as text; accepts `45:` and `true:` in their written form. */
  #keyOf(key: Node, line: number): string {
    if (!isScalar(key) || key.anchor !== undefined) throw new NotTaken(line, 'A key must be a plain word.');
    const name = typeof key.value === 'string' ? key.value : (key.source ?? '');
    if (name === '') throw new NotTaken(line, 'A key must not be empty.');
    if (name === '<<') throw new NotTaken(line, 'Merge keys (<<) are not taken; use "like".');
    return String(readScalar(name, line));
  }
}

function readScalar(value: unknown, line: number): string | number | boolean | null {
  switch (typeof value) {
    case 'string':
      // The database accepts neither of these in JSON.
      if (value.includes('\0') || !value.isWellFormed())
        throw new NotTaken(line, 'A text holds a character that no text has (NUL, or half of a pair).');
      return value;
    case 'bigint':
      if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER))
        throw new NotTaken(line, `${value} is too large to be kept exactly; write it as a text, in quotes.`);
      return Number(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotTaken(line, 'A number must be finite.');
      return value;
    case 'boolean':
      return value;
    default:
      return null;
  }
}
