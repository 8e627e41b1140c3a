export type Difference = { path: string; before: unknown; after: unknown };

/** Returns each value that differs between two JSON documents, with its path. A missing value is `null`. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  if (one === undefined || other === undefined)
    return [{ path, before: before ?? null, after: after ?? null }];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differencesOf(one[key], other[key], path === '' ? key : `${path}/${key}`),
  );
}

/**
 * Returns the fields of an object. A missing value counts as an object without fields, so that an added or removed
 * object is listed field by field.
 */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  const given = value ?? {};
  return typeof given === 'object' && !Array.isArray(given) ? (given as Record<string, unknown>) : undefined;
}
