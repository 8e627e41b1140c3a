import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compileCheck } from '@renderkit/service/validation/compile-check.ts';

type Schema = Record<string, unknown>;

/** Reads a schema of this folder. Leaves out formats, because each of the two schemas has its own formats. */
export async function readSchema(name: 'compose' | 'kubernetes'): Promise<Schema> {
  const text = await readFile(path.join(import.meta.dirname, `${name}.schema.json`), 'utf8');
  const { $schema: _, ...schema } = JSON.parse(text, (key, value: unknown) =>
    key === 'format' && typeof value === 'string' ? undefined : value,
  ) as Schema;
  return schema;
}

/**
 * Checks a value against a schema.
 *
 * @throws AssertionError with everything that the schema does not allow
 */
export function assertSchema(schema: Schema, value: unknown): void {
  const errors: { field: string; message: string }[] = [];
  compileCheck(schema, 'field')(value, errors);
  assert.deepEqual(errors, []);
}
