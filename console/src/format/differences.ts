export type Difference = { path: string; before: unknown; after: unknown };

/** Each value that differs between two documents of JSON, by its path; null where there is none. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  if (one === undefined || other === undefined)
    return [{ path, before: before ?? null, after: after ?? null }];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differencesOf(one[key], other[key], path === '' ? key : `${path}/${key}`),
  );
}

/** Nothing has no fields, so that what comes or goes whole is told field by field. */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  const given = value ?? {};
  return typeof given === 'object' && !Array.isArray(given) ? (given as Record<string, unknown>) : undefined;
}
