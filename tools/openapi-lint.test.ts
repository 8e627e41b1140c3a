import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openapiText } from './openapi-document.ts';

/** Linter rules in addition to its strictest set. */
const rules = {
  'no-invalid-schema-examples': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-unused-components': 'error',
  'no-schema-type-mismatch': 'error',
  'no-required-schema-properties-undefined': 'error',
  'operation-description': 'error',
  'operation-summary': 'error',
  'operation-operationId': 'error',
  'operation-4xx-problem-details-rfc7807': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'tag-description': 'error',
  'path-declaration-must-exist': 'error',
  'path-not-include-query': 'error',
  'array-parameter-serialization': 'error',
  // An item is read at `/v1/assets/images/{id}` and changed at `/v1/assets/{type}/{id}`. The methods differ.
  'no-ambiguous-paths': 'off',
} as const;

async function issuesOf(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer ?? ''}: ${message}`,
  );
}

test('an independent linter has nothing against the OpenAPI document', async () => {
  assert.deepEqual(await issuesOf(openapiText()), []);
});

test('the linter sees what is wrong with a document', async () => {
  const spoiled = openapiText()
    .replace('"summary": "Show the account"', '"summry": "Show the account"')
    .replace('"balance": 996', '"balance": "much"');
  const found = (await issuesOf(spoiled)).join('\n');
  assert.match(found, /summry/);
  assert.match(found, /no-invalid-schema-examples/);
});
