// The router passes search parameters as text from the address, or as the values of a link in the console.

/** Returns the value if it is allowed. */
export function choice<const T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value);
}

/** Returns the text of a filter. `undefined` when the text is empty or too long. */
export function text(value: unknown, maxCharacters = 200): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > maxCharacters) return undefined;
  return value;
}

/** Returns the number of a page. `undefined` for the first page, which needs no parameter. */
export function pageNumber(value: unknown): number | undefined {
  return wholeNumber(value, { min: 2, max: 1_000_000 });
}

export function wholeNumber(value: unknown, { min, max }: { min: number; max: number }): number | undefined {
  const number = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
    ? number
    : undefined;
}

/** Returns the query of an address as text values. The first value counts when a name occurs twice. */
export function parseSearch(search: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(search)) values[name] ??= value;
  return { ...values };
}

export function stringifySearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}
