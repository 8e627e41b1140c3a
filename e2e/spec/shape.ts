import assert from 'node:assert/strict';

type Check = (value: unknown) => boolean;
/**
 * What a value must be: it must pass a check, be an object of exactly these members (`name?` is optional), or be a list
 * of one shape.
 */
export type Shape = Check | readonly [Shape] | { readonly [name: string]: Shape };

export const text: Check = (value) => typeof value === 'string';
export const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
export const count: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
export const flag: Check = (value) => typeof value === 'boolean';
export const timestamp: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));
/** Prefix and 26 characters of lower-case base32. */
export const id =
  (prefix: string): Check =>
  (value) =>
    typeof value === 'string' &&
    value.startsWith(prefix) &&
    /^[0-9a-z]{26}$/.test(value.slice(prefix.length));
export const one =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
export const nullable =
  (shape: Shape): Check =>
  (value) =>
    value === null || differences(shape, value, '').length === 0;
export const mapOf =
  (shape: Shape): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => differences(shape, member, '').length === 0);

/** Asserts that a value has a shape. @throws AssertionError that names every missing, extra or wrong member */
export function assertShape(shape: Shape, value: unknown): void {
  assert.deepEqual(differences(shape, value, ''), [], JSON.stringify(value)?.slice(0, 2_000));
}

function differences(shape: Shape, value: unknown, where: string): string[] {
  if (typeof shape === 'function')
    return shape(value) ? [] : [`${where || 'it'} is ${JSON.stringify(value)}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${where || 'it'} is no list`];
    return value.flatMap((item, i) => differences(shape[0] as Shape, item, `${where}[${i}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${where || 'it'} is no object`];
  const members = value as Record<string, unknown>;
  const known = new Set(Object.keys(shape).map((name) => name.replace('?', '')));
  const excess = Object.keys(members).filter((name) => !known.has(name));
  return [
    ...excess.map((name) => `${where}.${name} is in excess`),
    ...Object.entries(shape).flatMap(([name, inner]) => {
      const bare = name.replace('?', '');
      if (!Object.hasOwn(members, bare)) return name.endsWith('?') ? [] : [`${where}.${bare} is missing`];
      return differences(inner, members[bare], `${where}.${bare}`);
    }),
  ];
}
