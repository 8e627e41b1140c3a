import { listed } from '@renderkit/contract/studio/issues.ts';
import { streamEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { maxProblemErrors } from '@renderkit/contract/v1/limits.ts';
import { eventTypesPattern } from '@renderkit/contract/v1/schemas/event.ts';
import { projectTitlePattern } from '@renderkit/contract/studio/project-title.ts';
import type { ErrorObject } from 'ajv';
import type { FieldError } from '../problems/api-problem.ts';
import { describeUnknown } from './describe-unknown-field.ts';

/**
 * Converts ajv's errors (with `verbose`) to our messages: one entry for each field, such as `reference_images[2]`, with
 * one message, such as `must be at most 2048 characters`. The messages about values that a model does not accept are in
 * `contract/studio/issues.ts`.
 */
export function fieldErrorsOf(
  errors: readonly ErrorObject[],
  data: unknown,
  what: 'field' | 'parameter',
): FieldError[] {
  const byField = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    // It only reports that the chosen branch has errors, and those are in the list themselves.
    if (error.keyword === 'if') continue;
    const field = fieldOf(error, pathOf(error.instancePath, data)) || 'body';
    const before = byField.get(field);
    if (before !== undefined) before.push(error);
    else if (byField.size < maxProblemErrors) byField.set(field, [error]);
  }
  return [...byField].flatMap(([field, found]) => {
    const told = messageOf(found, what);
    return told === undefined ? [] : [{ field, ...told }];
  });
}

function fieldOf({ keyword, params }: ErrorObject, path: string): string {
  const names = params as Record<string, string>;
  if (keyword === 'required') return join(path, names['missingProperty'] ?? '');
  if (keyword === 'additionalProperties') return join(path, names['additionalProperty'] ?? '');
  return path;
}

/**
 * Keywords that explain more than the others about the same value. Only the first of them is reported; without any of
 * them, all errors are.
 */
const first = ['required', 'additionalProperties', 'enum', 'const', 'type', 'format'];

/** Returns all errors of one field as one message; `undefined` when the errors are in fields within it. */
function messageOf(
  errors: readonly ErrorObject[],
  what: 'field' | 'parameter',
): Omit<FieldError, 'field'> | undefined {
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown !== undefined) return unknownField(unknown, what);
  const union = errors.find(({ keyword }) => keyword === 'anyOf');
  if (union !== undefined) {
    const message = messageOfUnion(union, errors);
    return message === undefined ? undefined : { message };
  }
  const leading = first
    .map((keyword) => errors.find((error) => error.keyword === keyword))
    .find((error) => error !== undefined);
  const told = leading === undefined ? errors : [leading];
  return { message: [...new Set(told.map(messageOfOne))].join(' and ') };
}

function unknownField(error: ErrorObject, what: 'field' | 'parameter'): Omit<FieldError, 'field'> {
  const name = String((error.params as Record<string, unknown>)['additionalProperty']);
  const { properties = {} } = (error.parentSchema ?? {}) as { properties?: object };
  const names = Object.keys(properties);
  return {
    message: describeUnknown(name, { what, names }),
    ...(what === 'field' && error.instancePath === '' && { unknown: { name, names } }),
  };
}

/**
 * Returns the message for a value that matches none of several schemas: the errors by the nearest schema, and the
 * alternatives.
 */
function messageOfUnion(union: ErrorObject, errors: readonly ErrorObject[]): string | undefined {
  const branches = (union.schema as unknown[]).map((_, i) =>
    errors.filter(({ schemaPath }) => schemaPath.startsWith(`${union.schemaPath}/${i}/`)),
  );
  // The value has the type of that schema, and the errors are within it.
  if (branches.some((found) => found.length === 0)) return undefined;
  const alternatives = branches.flatMap((found) => {
    const [error] = found.filter(({ keyword }) => keyword === 'type' || keyword === 'const');
    return error === undefined ? [] : [expectedOf(error)];
  });
  const near = branches.find((found) =>
    found.every(({ keyword }) => keyword !== 'type' && keyword !== 'const'),
  );
  if (near === undefined) return `must be ${inWords(alternatives)}`;
  return [near.map(messageOfOne).join(' and '), ...alternatives].join(', or ');
}

/** Returns an item of "must be …". */
function expectedOf({ keyword, params }: ErrorObject): string {
  const given = params as Record<string, unknown>;
  if (keyword === 'const') return String(given['allowedValue']);
  return inWords([given['type']].flat().map((type) => nameOfType(String(type))));
}

function messageOfOne(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const limit = String(params['limit']);
  const items = limit === '1' ? '1 item' : `${limit} items`;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'type':
    case 'const':
      return `must be ${expectedOf(error)}`;
    case 'enum':
      return `must be one of ${listed((params['allowedValues'] as unknown[]).map(String), 30)}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must be at least ${limit} characters`;
    case 'maxLength':
      return `must be at most ${limit} characters`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must hold at least ${items}`;
    case 'maxItems':
      return `must hold at most ${items}`;
    case 'maxProperties':
      return `must hold at most ${limit} names`;
    case 'uniqueItems':
      return 'must not hold the same item twice';
    case 'pattern':
      return patterns[String(params['pattern'])] ?? 'must not hold characters that are not allowed';
    case 'format':
      return formats[String(params['format'])] ?? `must be a valid ${String(params['format'])}`;
    default:
      return error.message ?? 'is not valid';
  }
}

const patterns: Record<string, string> = {
  [eventTypesPattern]: `must be one or more of ${streamEventTypes.join(', ')}, with commas between them`,
  [projectTitlePattern]: 'must hold letters from a to z, digits and white space alone',
};

const formats: Record<string, string> = {
  uri: 'must be a whole address, such as https://example.com/picture.png',
  'date-time': 'must be a time with its offset, such as 2026-01-31T12:00:00Z',
};

/** Joins words as "a, b or c". */
function inWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? 'valid') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function nameOfType(type: string): string {
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'array':
      return 'an array';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return `a ${type}`;
  }
}

/** Converts a JSON pointer to a path with array indexes in brackets. Only the data show which parts are indexes. */
function pathOf(pointer: string, data: unknown): string {
  let path = '';
  let value = data;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(value) ? `${path}[${name}]` : join(path, name);
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
