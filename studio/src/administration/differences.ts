/** One value that differs; `null` if it is missing. `path`: `manifest/price/base_millicredits`. */
export type Difference = { path: string; before: unknown; after: unknown };

/** Returns where two values differ, as deep as both have fields. */
export function differences(before: unknown, after: unknown): Difference[] {
  return [...walk(before, after, '')];
}

function* walk(before: unknown, after: unknown, path: string): Generator<Difference> {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  if (one === undefined || other === undefined) {
    yield { path: path.slice(1), before: before ?? null, after: after ?? null };
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
    yield* walk(one[key], other[key], `${path}/${key}`);
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
