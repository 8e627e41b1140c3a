/** How many code points the texts of a JSON value may have, by their position. */
export type TextLimits = {
  maxTextCharacters: number;
  /** Of an object's members, by name. */
  names: ReadonlyMap<string, TextLimits>;
  /** Of all other members. */
  others: TextLimits;
  /** Of an array's entries. */
  items: TextLimits;
};

/** As much of JSON Schema as says how long texts may be. */
type Schema = {
  maxLength?: number;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  then?: Schema;
  else?: Schema;
};

/**
 * The limits of a JSON Schema. Where several parts of it speak of one position, the most generous holds; `otherwise` is how
 * long a text may be of which the schema does not say it.
 */
export function textLimitsOf(schema: object, otherwise: number): TextLimits {
  const unknown: { -readonly [Key in keyof TextLimits]?: TextLimits[Key] } = {
    maxTextCharacters: otherwise,
    names: new Map(),
  };
  unknown.others = unknown as TextLimits;
  unknown.items = unknown as TextLimits;
  return limitsOf([schema], unknown as TextLimits);
}

function limitsOf(schemas: readonly Schema[], unknown: TextLimits): TextLimits {
  const parts = schemas.flatMap(partsOf);
  const joined = (found: Schema[]) => (found.length === 0 ? unknown : limitsOf(found, unknown));
  const names = Map.groupBy(
    parts.flatMap(({ properties = {} }) => Object.entries(properties)),
    ([name]) => name,
  );
  const lengths = parts.flatMap(({ maxLength }) => maxLength ?? []);
  return {
    maxTextCharacters: lengths.length === 0 ? unknown.maxTextCharacters : Math.max(...lengths),
    names: new Map([...names].map(([name, found]) => [name, joined(found.map(([, part]) => part))])),
    others: joined(
      parts.flatMap(({ additionalProperties, patternProperties = {} }) => [
        ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
        ...Object.values(patternProperties),
      ]),
    ),
    items: joined(parts.flatMap(({ items }) => items ?? [])),
  };
}

/** A schema and all that it is put together from. */
function partsOf(schema: Schema): Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const branches = [schema.then, schema.else].filter((branch) => branch !== undefined);
  return [schema, ...[...allOf, ...anyOf, ...oneOf, ...branches].flatMap(partsOf)];
}
