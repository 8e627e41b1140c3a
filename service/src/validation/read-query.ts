import type { TSchema } from 'typebox';
import type { FieldError } from '../problems/api-problem.ts';
import { compileCheck } from './compile-check.ts';
import { describeUnknown } from './unknown-names.ts';

/** A query as text has it: each name once, decoded. Null prototype. */
export type RawQuery = Record<string, string>;

const nothing: RawQuery = Object.freeze(Object.create(null) as RawQuery);

/**
 * Reads the text after the question mark (application/x-www-form-urlencoded). A repeated name, bytes that are no
 * UTF-8 and U+0000 are added to `errors`, whatever the name.
 */
export function readQuery(text: string | undefined, errors: FieldError[]): RawQuery {
  if (text === undefined || text === '') return nothing;
  const query = Object.create(null) as RawQuery;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    const name = decode(rawName);
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || name.includes('\0')) {
      errors.push({ field: rawName, message: 'is not a valid name of a parameter' });
    } else if (value === undefined || value.includes('\0')) {
      errors.push({ field: name, message: 'is not valid percent-encoded UTF-8 without U+0000' });
    } else if (name in query) {
      errors.push({ field: name, message: 'appears more than once' });
    } else query[name] = value;
  }
  return query;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const plainDigits = /^\d{1,9}$/;
type Properties = Record<string, { type?: string }>;
type Query = Record<string, string | number | boolean>;

/**
 * Reads and validates the query of one operation: unknown names are refused, where it takes no parameters too; what the
 * schema calls an integer must be plain digits and becomes a number, what it calls a boolean `true` or `false`.
 */
export function compileQueryCheck(
  schema: TSchema | undefined,
): (text: string | undefined, errors: FieldError[]) => Query {
  if (schema === undefined)
    return (text, errors) => {
      const query = readQuery(text, errors);
      for (const name in query)
        errors.push({ field: name, message: describeUnknown(name, { what: 'parameter', names: [] }) });
      return query;
    };
  const check = compileCheck(schema, 'parameter');
  const { properties } = schema as unknown as { properties: Properties };
  const namesOf = (type: string) => Object.keys(properties).filter((name) => properties[name]?.type === type);
  const integers = namesOf('integer');
  const booleans = namesOf('boolean');
  return (text, errors) => {
    const query: Query = readQuery(text, errors);
    for (const name of integers) {
      const value = query[name];
      if (value === undefined) continue;
      if (plainDigits.test(String(value))) query[name] = Number(value);
      else {
        errors.push({ field: name, message: 'must be a whole number in plain digits' });
        delete query[name];
      }
    }
    // Another word stays a text, and the schema says what is wrong with it.
    for (const name of booleans)
      if (query[name] === 'true' || query[name] === 'false') query[name] = query[name] === 'true';
    check(query, errors);
    return query;
  };
}
