import { type Static, type TProperties, type TSchema, Type } from 'typebox';

// Schemas of the messages between the studio and the service. The service checks every answer against them, because a
// studio may be broken or hostile. So each text and each list has a limit. Amounts are whole numbers of 1/1000 credit.

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal(value))) as unknown as ReturnType<
    typeof Type.Unsafe<T[number]>
  >;

export const id = Type.String({ minLength: 1, maxLength: 200 });
export const shortText = Type.String({ maxLength: 500 });
export const longText = Type.String({ maxLength: 5_000 });
export const link = Type.String({ minLength: 1, maxLength: 4_096 });
/** RFC 3339. Clients get this value unchanged, so it must be a valid time. */
export const time = Type.String({
  maxLength: 35,
  pattern: '^\\d{4}-[01]\\d-[0-3]\\dT[0-2]\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-][0-2]\\d:[0-5]\\d)$',
});
export const millicredits = Type.Integer({ minimum: 0, maximum: 1e15 });
export const count = Type.Integer({ minimum: 0, maximum: 1e9 });
export const sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

// For requests that people fill in: the console's API also checks them with these schemas, and names each wrong field.

/** An object without any other properties. */
export const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
export const choice = <const V extends string[]>(values: readonly [...V]) =>
  Type.Enum(values, { type: 'string' });
export const orNull = <T extends TSchema>(schema: T & { type: string }) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
