/** The maximum number of code points in the texts of a JSON value, by their position. */
export type TextLimits = {
  maxTextCharacters: number;
  /** The limits for an object's members, by name. */
  names: ReadonlyMap<string, TextLimits>;
  /** The limits for all other members. */
  others: TextLimits;
  /** The limits for an array's entries. */
  items: TextLimits;
};

/** The parts of JSON Schema that limit the length of texts. */
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
 * Returns the limits of a JSON Schema. When several parts of the schema apply to one position, the largest limit
 * counts. `otherwise` is the limit where the schema has none.
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

/** Returns a schema and all schemas that it is composed of. */
function partsOf(schema: Schema): Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const branches = [schema.then, schema.else].filter((branch) => branch !== undefined);
  return [schema, ...[...allOf, ...anyOf, ...oneOf, ...branches].flatMap(partsOf)];
}
