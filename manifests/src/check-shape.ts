import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import { nearestNames, shownName } from '@renderkit/server-kit/nearest-names.ts';
import type { TSchema } from 'typebox';
import type { YamlEntry, YamlMap, YamlNode } from './read-yaml.ts';

/** The keywords of JSON Schema that the schemas of files use. A pattern's `description` explains it in words. */
interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** A schema for all items, or a list of schemas for the items in order. */
  readonly items?: Schema | readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Up to this number, a message lists all known names. */
const maxListed = 12;
const maxProblems = 100;

/**
 * Checks a file against its schema, strictly: keys that the schema does not have are always problems. The value is only
 * valid where there are no problems. `root` is the name of the whole file in messages. The schemas are in
 * `manifest-schema.ts` beside this file, `studio/src/catalog/read-list.ts` and
 * `studio/src/backends/read-backends-file.ts`.
 */
export function checkShape(
  node: YamlNode,
  schema: TSchema,
  root: string,
): { readonly value: JsonValue; readonly problems: readonly Problem[] } {
  const check = new ShapeCheck(root);
  const value = check.valueOf(node, schema, '');
  return { value, problems: check.problems.slice(0, maxProblems) };
}

class ShapeCheck {
  readonly problems: Problem[] = [];
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  valueOf(node: YamlNode, schema: Schema, path: string): JsonValue {
    const branches = branchesOf(schema);
    // A schema without keywords accepts any JSON.
    if (branches.some(({ type, const: only }) => type === undefined && only === undefined))
      return plainValue(node);
    const branch = branches.find((one) => accepts(one, node)) ?? branches.find((one) => isOfType(one, node));
    if (branch === undefined) {
      this.#addTypeProblem(node, branches, path);
      return plainValue(node);
    }
    switch (node.type) {
      case 'scalar':
        this.#checkScalar(node, branch, branches, path);
        return node.value;
      case 'list':
        return this.#listOf(node, branch, path);
      case 'map':
        return branch.properties === undefined
          ? this.#recordOf(node, branch, path)
          : this.#objectOf(node, branch, path);
    }
  }

  #objectOf(node: YamlMap, schema: Schema, path: string): JsonValue {
    const properties = schema.properties ?? {};
    const value: Record<string, JsonValue> = {};
    for (const [key, entry] of node.entries) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property === undefined)
        this.#add('unknown_key', entry.line, unknownKey(this.#place(path), key, Object.keys(properties)));
      else value[key] = this.valueOf(withLine(entry), property, join(path, key));
    }
    for (const key of schema.required ?? [])
      if (!node.entries.has(key))
        this.#add('input_missing', node.line, `${this.#place(path)} needs the key "${key}".`);
    return value;
  }

  #recordOf(node: YamlMap, schema: Schema, path: string): JsonValue {
    const [pattern, of] = Object.entries(schema.patternProperties ?? {})[0] ?? ['', {}];
    const entries = Array.from(node.entries, ([key, entry]): [string, JsonValue] => {
      if (!new RegExp(pattern, 'u').test(key))
        this.#add(
          'unknown_key',
          entry.line,
          `${this.#place(path)} cannot have the key ${shownName(key)}: ${schema.description ?? 'it is no name'}.`,
        );
      return [key, this.valueOf(withLine(entry), of, join(path, key))];
    });
    return Object.fromEntries(entries);
  }

  #listOf(node: Extract<YamlNode, { type: 'list' }>, schema: Schema, path: string): JsonValue {
    const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
    const { length } = node.items;
    const exactly = Array.isArray(items) ? items.length : undefined;
    if (exactly !== undefined && length !== exactly)
      this.#add('out_of_range', node.line, `${this.#place(path)} needs ${exactly} entries, not ${length}.`);
    else if (length < minItems)
      this.#add('out_of_range', node.line, `${this.#place(path)} needs at least ${minItems} of them.`);
    else if (length > maxItems)
      this.#add('out_of_range', node.line, `${this.#place(path)} has more than ${maxItems} entries.`);
    return node.items.map((item, at) =>
      this.valueOf(item, (Array.isArray(items) ? items[at] : items) ?? {}, `${path}[${at}]`),
    );
  }

  #checkScalar(
    { value, line }: Extract<YamlNode, { type: 'scalar' }>,
    schema: Schema,
    branches: readonly Schema[],
    path: string,
  ): void {
    const choices = branches.flatMap(({ const: only }) => (only === undefined ? [] : [String(only)]));
    const wrong = scalarProblem(schema, value);
    if (wrong === undefined) return;
    if (choices.length === 0) this.#add('out_of_range', line, `${this.#place(path)} ${wrong}.`);
    else
      this.#add(
        'choice_unknown',
        line,
        `${this.#place(path)} cannot be ${shownName(String(value))}${hint(String(value), choices)}.`,
      );
  }

  #addTypeProblem(node: YamlNode, branches: readonly Schema[], path: string): void {
    const wanted = [...new Set(branches.map((branch) => typeNames[typeOf(branch)]))].join(' or ');
    const found = node.type === 'scalar' ? scalarName(node.value) : typeNames[containers[node.type]];
    const texts = branches.some((branch) => typeOf(branch) === 'string');
    const advice =
      node.type === 'scalar' && node.value === null
        ? ': leave the key out where there is nothing to say'
        : texts && node.type === 'scalar'
          ? '; put it in quotes'
          : '';
    this.#add('type_mismatch', node.line, `${this.#place(path)} must be ${wanted}, not ${found}${advice}.`);
  }

  #add(code: ProblemCode, line: number, message: string): void {
    this.problems.push({ code, message, line });
  }

  #place(path: string): string {
    return path === '' ? this.#root : path;
  }
}

const containers = { list: 'array', map: 'object' } as const;
const typeNames = {
  object: 'a map',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'nothing',
} as const;

function typeOf({ type, const: only }: Schema): keyof typeof typeNames {
  return type ?? (typeof only as 'string' | 'number' | 'boolean');
}

/** Gives a list or map the line of its key, because people look for a problem at the key. */
function withLine({ line, node }: YamlEntry): YamlNode {
  return node.type === 'scalar' ? node : { ...node, line };
}

function branchesOf(schema: Schema): readonly Schema[] {
  if (schema.enum !== undefined) return schema.enum.map((only) => ({ const: only }));
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(branchesOf);
}

function isOfType(schema: Schema, node: YamlNode): boolean {
  if (node.type !== 'scalar') return typeOf(schema) === containers[node.type];
  switch (typeOf(schema)) {
    case 'string':
      return typeof node.value === 'string';
    case 'integer':
    case 'number':
      return typeof node.value === 'number';
    case 'boolean':
      return typeof node.value === 'boolean';
    case 'null':
      return node.value === null;
    default:
      return false;
  }
}

function accepts(schema: Schema, node: YamlNode): boolean {
  return (
    isOfType(schema, node) && (node.type !== 'scalar' || scalarProblem(schema, node.value) === undefined)
  );
}

/** Returns what is wrong with a value of the right type. The text follows the value's name. */
function scalarProblem(schema: Schema, value: string | number | boolean | null): string | undefined {
  if (schema.const !== undefined) return value === schema.const ? undefined : `must be ${schema.const}`;
  if (typeof value === 'string') return textProblem(schema, value);
  if (typeof value === 'number') return numberProblem(schema, value);
  return undefined;
}

function textProblem(
  { minLength = 0, maxLength, pattern, description }: Schema,
  value: string,
): string | undefined {
  if (value.length < minLength) return 'must not be empty';
  if (maxLength !== undefined && value.length > maxLength) return `has more than ${maxLength} characters`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return `cannot be ${shownName(value)}: ${description ?? `it must look like ${pattern}`}`;
  return undefined;
}

function numberProblem(
  { type, minimum, exclusiveMinimum, maximum }: Schema,
  value: number,
): string | undefined {
  if (type === 'integer' && !Number.isSafeInteger(value)) return 'must be a whole number';
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return `must be more than ${exclusiveMinimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return undefined;
}

function unknownKey(place: string, key: string, known: readonly string[]): string {
  return `${place} has no key ${shownName(key)}${hint(key, known)}.`;
}

/** Returns a hint with the most similar names, or with all names where they are few. */
function hint(name: string, known: readonly string[]): string {
  const near = nearestNames(
    name,
    known.map((label) => ({ label, texts: [label] })),
    2,
  );
  if (near.length > 0) return `; did you mean ${near.join(' or ')}?`.replace(/\?$/, '');
  return known.length <= maxListed ? `; there are ${known.join(', ')}` : '';
}

function scalarName(value: string | number | boolean | null): string {
  if (value === null) return 'empty';
  if (typeof value === 'string') return `the text ${shownName(value)}`;
  return String(value);
}

function join(path: string, key: string): string {
  const shown = /^[\w.-]+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? shown : `${path}.${shown}`;
}

function plainValue(node: YamlNode): JsonValue {
  switch (node.type) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainValue);
    case 'map':
      return Object.fromEntries(Array.from(node.entries, ([key, entry]) => [key, plainValue(entry.node)]));
  }
}
