import { Type, type Static, type TProperties, type TSchema } from 'typebox';

/**
 * The few shapes that all schemas are built from. They use only standard keywords of JSON Schema, so that ajv, the
 * serializer and OpenAPI 3.1 interpret them in the same way. A schema with a `title` becomes a component with that name
 * in OpenAPI.
 */

type Annotations = { title?: string; description?: string; examples?: unknown[]; default?: unknown };

/** An object that has exactly these properties. */
export function closed<P extends TProperties>(properties: P, annotations: Annotations = {}) {
  return Type.Object(properties, { additionalProperties: false, ...annotations });
}

/** One of the given strings. */
export function oneOf<const V extends string[]>(values: readonly [...V], annotations: Annotations = {}) {
  return Type.Enum(values, { type: 'string', ...annotations });
}

/** The value or `null`. Schemas with a title stay unchanged, so that OpenAPI can reference them. */
export function nullable<T extends TSchema>(schema: T, annotations: Annotations = {}) {
  const plain = schema as TSchema & { type?: string; title?: string; enum?: unknown[] };
  if (plain.type === undefined || plain.title !== undefined) {
    return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }], ...annotations });
  }
  const values = plain.enum === undefined ? {} : { enum: [...plain.enum, null] };
  return Type.Unsafe<Static<T> | null>({ ...schema, ...values, type: [plain.type, 'null'], ...annotations });
}

/** A map from any name to values of one schema. */
export function mapOf<T extends TSchema>(
  value: T,
  annotations: Annotations & { maxProperties?: number } = {},
) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: value,
    ...annotations,
  });
}

/** A time as ISO 8601 text in UTC. */
export function timestamp(description: string) {
  return Type.String({ format: 'date-time', description });
}
