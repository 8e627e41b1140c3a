import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import { parseDocument } from 'yaml';

/**
 * Returns a manifest with other values at some paths; its author's comments and order stay. The caller must have read
 * the text as a manifest before.
 */
export function editSource(
  source: string,
  changes: readonly { path: readonly (string | number)[]; value: JsonValue }[],
): string {
  const document = parseDocument(source, { version: '1.2', schema: 'core', intAsBigInt: true });
  for (const { path, value } of changes) document.setIn(path, document.createNode(value, { flow: true }));
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
