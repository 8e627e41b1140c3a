import { UsageError } from './cli-error.ts';

/**
 * Returns the values at a path: `.a.b`, `[0]`, and `[]` for each item of a list.
 *
 * @throws UsageError when the path is not valid
 */
export function pick(data: unknown, path: string): unknown[] {
  const steps = path === '.' ? [] : (path.match(/\.?[A-Za-z_][\w-]*|\.?\[\d*\]/g) ?? []);
  if (path !== '.' && (!path.startsWith('.') || steps.join('') !== path))
    throw new UsageError(
      `${JSON.stringify(path)} is no path.`,
      'A path is like .id, .outputs[0].url or .data[].name.',
    );
  let values = [data];
  for (const step of steps) {
    const name = step.replace(/^\./, '');
    if (name === '[]') values = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
    else if (name.startsWith('[')) values = values.map((value) => memberOf(value, name.slice(1, -1)));
    else values = values.map((value) => memberOf(value, name));
  }
  return values;
}

/** Returns objects with only these fields, in every item of a list. */
export function pickFields(data: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((item) => pickFields(item, fields));
  return Object.fromEntries(fields.map((field) => [field, memberOf(data, field)]));
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  return (value as Record<string, unknown>)[name];
}
