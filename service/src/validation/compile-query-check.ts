import type { TSchema } from 'typebox';
import type { FieldError } from '../problems/api-problem.ts';
import { compileCheck } from './compile-check.ts';
import { readQuery } from './read-query.ts';

const plainDigits = /^\d{1,9}$/;
type Properties = Record<string, { type?: string }>;

/**
 * Reads and judges the query of one operation: unknown names are refused, where it takes no parameters too; what the
 * schema calls an integer must be plain digits and becomes a number.
 */
export function compileQueryCheck(
  schema: TSchema | undefined,
): (text: string | undefined, errors: FieldError[]) => Record<string, string | number> {
  if (schema === undefined)
    return (text, errors) => {
      const query = readQuery(text, errors);
      for (const name in query) errors.push({ field: name, message: 'is not a known parameter' });
      return query;
    };
  const check = compileCheck(schema, 'parameter');
  const integers = Object.entries((schema as unknown as { properties: Properties }).properties)
    .filter(([, property]) => property.type === 'integer')
    .map(([name]) => name);
  return (text, errors) => {
    const query: Record<string, string | number> = readQuery(text, errors);
    for (const name of integers) {
      const value = query[name];
      if (value === undefined) continue;
      if (plainDigits.test(String(value))) query[name] = Number(value);
      else {
        errors.push({ field: name, message: 'must be a whole number in plain digits' });
        delete query[name];
      }
    }
    check(query, errors);
    return query;
  };
}
