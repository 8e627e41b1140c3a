import type { FieldError } from '../problems/api-problem.ts';

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
