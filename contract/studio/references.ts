/** The kind of media that a field must name. */
type Role = 'image' | 'mask' | 'audio' | 'source video' | 'library video';

/**
 * All fields that name media, one item or a list. `validate-references.ts` checks the media;
 * `service/src/references/resolve-references.ts` replaces addresses.
 */
const referenceFields = {
  reference_images: 'image',
  image: 'image',
  mask: 'mask',
  start_image: 'image',
  end_image: 'image',
  reference_audios: 'audio',
  source_video: 'source video',
  video_id: 'library video',
} as const satisfies Record<string, Role>;
export type ReferenceField = keyof typeof referenceFields;

/** The fields of a request, or of the body of a create, that may name media. */
export type Referring = { readonly [F in ReferenceField]?: unknown };

/** One reference to media in a request. `field` is its path, such as `reference_images[2]`. */
export type Reference = {
  field: string;
  /** The value as it was sent: an id, or an address or data URL that a create accepts instead. */
  value: string;
  role: Role;
};

/** Returns all references to media in a request or the body of a create. */
export function referencesOf(request: Referring): Reference[] {
  return (Object.entries(referenceFields) as [ReferenceField, Role][]).flatMap(([field, role]) => {
    const named: unknown = request[field];
    if (typeof named === 'string') return [{ field, value: named, role }];
    return Array.isArray(named)
      ? named.flatMap((value: unknown, i) =>
          typeof value === 'string' ? [{ field: `${field}[${i}]`, value, role }] : [],
        )
      : [];
  });
}

/** Returns the request with some references replaced. `others` has the new values by their paths. */
export function withReferences<R extends Referring>(request: R, others: ReadonlyMap<string, string>): R {
  const changed: { [F in ReferenceField]?: unknown } = {};
  for (const field of Object.keys(referenceFields) as ReferenceField[]) {
    const named: unknown = request[field];
    if (typeof named === 'string') changed[field] = others.get(field) ?? named;
    if (Array.isArray(named))
      changed[field] = named.map((value: unknown, i) => others.get(`${field}[${i}]`) ?? value);
  }
  return { ...request, ...changed };
}
