import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compileCheck } from '@renderkit/service/validation/compile-check.ts';

type Schema = Record<string, unknown>;

/** A schema of this folder. Formats are left out, since each of the two has its own. */
export async function readSchema(name: 'compose' | 'kubernetes'): Promise<Schema> {
  const text = await readFile(path.join(import.meta.dirname, `${name}.schema.json`), 'utf8');
  const { $schema: _, ...schema } = JSON.parse(text, (key, value: unknown) =>
    key === 'format' && typeof value === 'string' ? undefined : value,
  ) as Schema;
  return schema;
}

/** @throws AssertionError with all that the schema does not allow */
export function assertSchema(schema: Schema, value: unknown): void {
  const errors: { field: string; message: string }[] = [];
  compileCheck(schema, 'field')(value, errors);
  assert.deepEqual(errors, []);
}
