import type { TSchema } from 'typebox';
import type { FieldError } from '../problems/api-problem.ts';
import { compileCheck } from './compile-check.ts';
import { readQuery } from './read-query.ts';
import { describeUnknown } from './unknown-names.ts';

const plainDigits = /^\d{1,9}$/;
type Properties = Record<string, { type?: string }>;
type Query = Record<string, string | number | boolean>;

/**
 * Reads and judges the query of one operation: unknown names are refused, where it takes no parameters too; what the
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
