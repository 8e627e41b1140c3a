import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { operations, type OperationId } from './operations.ts';
import { acceptedScopes, problemsOfEveryOperation, type Operation } from './operation.ts';
import { problemCodes } from './problem-codes.ts';
import { scopes, type Scope } from './scopes.ts';

const entries = Object.entries(operations) as [OperationId, Operation][];

/**
 * The scope for each change. Repeated here on purpose, because a mistake in the table would give keys too many rights.
 */
const scopeOfChange: Record<string, Scope> = {
  createProject: 'projects',
  updateProject: 'projects',
  deleteProject: 'projects',
  updateAsset: 'library',
  deleteAsset: 'library',
  createUpload: 'uploads',
  createImageGeneration: 'generate',
  deleteUpload: 'uploads',
  createImageEdit: 'generate',
  createVideoGeneration: 'generate',
  extendVideo: 'generate',
  createFrame: 'generate',
  estimate: 'generate',
  cancelGeneration: 'generate',
  stopGeneration: 'generate',
};

/** Reads that other scopes allow too: a key that uploads may see its uploads, and any key may see itself. */
const scopesOfRead: Record<string, readonly Scope[]> = { getUpload: ['read', 'uploads'], getKey: scopes };

test('every read takes the scope read, and every change the scope of its kind', () => {
  for (const [id, operation] of entries) {
    const expected = scopesOfRead[id] ?? (operation.method === 'GET' ? ['read'] : [scopeOfChange[id]]);
    assert.deepEqual(acceptedScopes(operation), expected, id);
  }
});

test('every scope is needed somewhere', () => {
  const used = new Set(entries.flatMap(([, operation]) => acceptedScopes(operation)));
  assert.deepEqual([...used].sort(), [...scopes].sort());
});

test('every operation names what any route can answer, and nothing twice', () => {
  for (const [id, operation] of entries) {
    for (const code of problemsOfEveryOperation)
      assert.ok(operation.problems.includes(code), `${id}: ${code}`);
    assert.equal(new Set(operation.problems).size, operation.problems.length, id);
  }
});

test('every problem code is the answer of some operation', () => {
  const answered = new Set<string>(entries.flatMap(([, operation]) => operation.problems));
  for (const code of Object.keys(problemCodes)) assert.ok(answered.has(code), code);
});

test('method and path belong to one operation alone', () => {
  const routes = entries.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  assert.equal(new Set(routes).size, routes.length);
});

test('path parameters are those of the schema, and such an operation can answer not_found', () => {
  for (const [id, { path, request, problems }] of entries) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const schema: { properties?: object; required?: string[] } | undefined = request.params;
    assert.deepEqual(Object.keys(schema?.properties ?? {}), named, id);
    assert.deepEqual(schema?.required ?? [], named, id);
    assert.equal(problems.includes('not_found'), named.length > 0, id);
  }
});

test('only the four creates honour an Idempotency-Key, and they and a stop answer 202', () => {
  const creates = ['createImageEdit', 'createImageGeneration', 'createVideoGeneration', 'extendVideo'];
  const idempotent = entries.filter(([, operation]) => operation.idempotent);
  assert.deepEqual(idempotent.map(([id]) => id).sort(), creates);
  const accepted = entries.filter(([, operation]) => operation.response.status === 202);
  assert.deepEqual(accepted.map(([id]) => id).sort(), [...creates, 'stopGeneration']);
});

test('bodies come with POST and PATCH only, and whether one is required is said', () => {
  for (const [id, { method, request }] of entries) {
    if (request.body === undefined) continue;
    assert.ok(method === 'POST' || method === 'PATCH', id);
    assert.equal(typeof request.bodyRequired, 'boolean', id);
  }
});

/** Reads the rows of the endpoint tables in docs/api.md, in a short form. */
async function documentedRows(): Promise<string[]> {
  const document = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const creates = /Creates refuse with ([^.]+)\./.exec(document)?.[1] ?? '';
  const row = /^\| (GET|POST|PATCH|DELETE) \| `([^`]+)` \|.*\| (\d{3}) [^|]+\| ([^|]*)\|$/gm;
  return [...document.matchAll(row)].map(([, method, path, status, refusals = '']) => {
    const codes =
      (refusals.includes('all that creates do') ? creates : refusals).match(/[a-z_]+(?=`)/g) ?? [];
    return `${method} ${path} ${status} ${codes.sort().join()}`;
  });
}

test('docs/api.md tells of every operation its success and its refusals', async () => {
  const general = new Set<string>(problemsOfEveryOperation);
  const promised = entries.map(([, { method, path, response, problems }]) => {
    const codes = problems.filter((code) => !general.has(code));
    return `${method} ${path} ${response.status} ${codes.sort().join()}`;
  });
  assert.deepEqual((await documentedRows()).sort(), promised.sort());
});
