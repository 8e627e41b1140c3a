/** Values that go into a path or after its question mark. Undefined ones are left out. */
export type Values = Record<string, string | number | boolean | undefined>;

/** Fills `{name}` places of a path, each value encoded, and appends the query. */
export function buildAddress(path: string, params: Values = {}, query: Values = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The path ${path} needs a value for ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
