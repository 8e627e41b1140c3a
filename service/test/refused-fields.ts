import assert from 'node:assert/strict';
import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import { validateBody } from '../src/catalog/validate-body.ts';
import { ApiProblem } from '../src/problems/api-problem.ts';

/** The fields that validation by a catalog refuses, in order; none where the request is fine. */
export function refusedFields(catalog: Catalog, kind: Kind, body: object): string[] {
  try {
    validateBody(catalog, kind, body);
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiProblem);
    assert.equal(error.code, 'invalid_request');
    for (const { message } of error.errors ?? []) assert.notEqual(message, '');
    return (error.errors ?? []).map(({ field }) => field);
  }
}
