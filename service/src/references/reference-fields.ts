/** Fields of a create that take references, one or a list (docs/api.md §4). */
const singleFields = ['image', 'mask', 'start_image', 'end_image', 'source_video'] as const;
const listFields = ['reference_images', 'reference_audios'] as const;

export type Body = Readonly<Record<string, unknown>>;

/** A reference where it stands: `reference_images[2]`. */
export type Reference = { field: string; value: string };

/** The references of a body, as they were sent. */
export function referencesOf(body: Body): Reference[] {
  const found: Reference[] = [];
  for (const field of singleFields) {
    const value = body[field];
    if (typeof value === 'string') found.push({ field, value });
  }
  for (const field of listFields) {
    const values = body[field];
    if (!Array.isArray(values)) continue;
    values.forEach((value: unknown, i) => {
      if (typeof value === 'string') found.push({ field: `${field}[${i}]`, value });
    });
  }
  return found;
}

/** The body with other references in the places of these. */
export function withReferences(body: Body, others: ReadonlyMap<string, string>): Body {
  const changed: Record<string, unknown> = { ...body };
  for (const field of singleFields) {
    const other = others.get(field);
    if (other !== undefined) changed[field] = other;
  }
  for (const field of listFields) {
    const values = body[field];
    if (Array.isArray(values))
      changed[field] = values.map((value: unknown, i) => others.get(`${field}[${i}]`) ?? value);
  }
  return changed;
}
