import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type FieldsOf, namesOf, optionFields, type ownFields, passedFields } from './field-tables.ts';

/** Fields for the body of a create, and names of fields that the client sent and that are ignored. */
export type Mapped = { body: Record<string, unknown>; ignored: string[] };

/**
 * Maps the fields that foreign requests share: the service's own fields unchanged, options of the model by their keys,
 * and `user` into the metadata. Converts texts of a form to the numbers and lists that they mean.
 */
export function mapOwnFields(fields: FieldsOf<typeof ownFields>, model: StudioModel): Mapped {
  const body: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const name of namesOf(passedFields))
    if (fields[name] !== undefined) body[name] = valueOf(fields[name]);
  const keys = new Map(model.parameters.options.map((option) => [option.key, option]));
  const options: Record<string, unknown> = { ...objectOf(fields.options) };
  for (const name of namesOf(optionFields)) {
    if (fields[name] === undefined) continue;
    if (keys.has(name)) options[name] ??= valueOf(fields[name]);
    else ignored.push(name);
  }
  if (Object.keys(options).length > 0) body['options'] = options;
  const metadata = { ...objectOf(fields.metadata) };
  if (typeof fields.user === 'string') metadata['user'] = fields.user;
  if (Object.keys(metadata).length > 0) body['metadata'] = metadata;
  return { body, ignored };
}

function objectOf(value: unknown): Record<string, unknown> {
  const read = typeof value === 'string' ? valueOf(value) : value;
  return typeof read === 'object' && read !== null && !Array.isArray(read)
    ? (read as Record<string, unknown>)
    : {};
}

/** Converts a text of a form: text that looks like a number, a boolean or JSON becomes that value. */
export function valueOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return Number(value);
  if (!/^(?:[[{]|true$|false$)/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
