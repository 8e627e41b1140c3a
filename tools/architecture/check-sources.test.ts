import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSources } from './check-sources.ts';
import { importsIn, type Source } from './read-sources.ts';

function source(path: string, ...lines: string[]): Source {
  const text = `${lines.join('\n')}\n`;
  return { path, text, imports: importsIn(text) };
}

function messagesOf(...sources: Source[]): string[] {
  return checkSources(sources).map(({ message }) => message);
}

const importing = (specifier: string) => `import { one } from '${specifier}';`;

test('imports are found over several lines, as types, as re-exports and late', () => {
  const text = [
    "import {\n  a,\n  b,\n} from './a.ts';",
    "import type { C } from './c.ts';",
    "export { d } from './d.ts';",
    "import './e.ts';",
    "const f = await import('./f.ts');",
    "const glob = '**/*.ts';\n// import { g } from './g.ts';",
  ].join('\n');
  assert.deepEqual(
    importsIn(text).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' type' : ''}`),
    ['./a.ts', './c.ts type', './d.ts', './e.ts', './f.ts'],
  );
});

test('service and studio never import each other, and the studio knows nothing of the HTTP API', () => {
  assert.equal(messagesOf(source('service/src/app.ts', importing('@renderkit/studio/app.ts'))).length, 1);
  assert.equal(messagesOf(source('studio/src/app.ts', importing('@renderkit/service/app.ts'))).length, 1);
  assert.equal(
    messagesOf(source('studio/src/app.ts', importing('@renderkit/contract/v1/scopes.ts'))).length,
    1,
  );
  assert.deepEqual(
    messagesOf(source('studio/src/app.ts', importing('@renderkit/contract/studio/price.ts'))),
    [],
  );
  assert.deepEqual(
    messagesOf(source('service/src/app.ts', importing('@renderkit/contract/v1/scopes.ts'))),
    [],
  );
});

test('the contract stands on the schema library alone, and server-kit on nothing of ours', () => {
  assert.deepEqual(messagesOf(source('contract/v1/scopes.ts', importing('typebox'))), []);
  assert.equal(messagesOf(source('contract/v1/scopes.ts', importing('ajv'))).length, 1);
  assert.equal(
    messagesOf(source('server-kit/src/ids.ts', importing('@renderkit/contract/v1/scopes.ts'))).length,
    1,
  );
});

test('in the studio the blob storage alone opens media, and few others open any file', () => {
  const opening = importing('node:fs/promises');
  assert.equal(messagesOf(source('studio/src/uploads/check-upload.ts', opening)).length, 1);
  assert.equal(messagesOf(source('studio/src/app.ts', importing('node:fs'))).length, 1);
  assert.deepEqual(messagesOf(source('blob-storage/src/disk-blob-storage.ts', opening)), []);
  assert.deepEqual(messagesOf(source('studio/src/uploads/check-upload.test.ts', opening)), []);
  assert.deepEqual(messagesOf(source('service/src/app.ts', opening)), []);
});

test('another workspace is imported by its name, never by a path', () => {
  assert.equal(messagesOf(source('service/src/app.ts', importing('../../server-kit/src/ids.ts'))).length, 1);
});

test('main calls app, app calls routes, and nothing calls back', () => {
  assert.deepEqual(messagesOf(source('service/src/main.ts', importing('./app.ts'))), []);
  assert.equal(messagesOf(source('studio/src/routes.ts', importing('./app.ts'))).length, 1);
  assert.equal(messagesOf(source('service/src/projects/find-key.ts', importing('../app.ts'))).length, 1);
  assert.deepEqual(messagesOf(source('service/src/app.ts', importing('./projects/find-key.ts'))), []);
});

test('a module keeps its store and its routes to itself', () => {
  const store = source('service/src/projects/find-key.ts', importing('./store.ts'));
  const foreign = source('service/src/generations/create-generation.ts', importing('../projects/store.ts'));
  const plain = source('service/src/generations/create-generation.ts', importing('../projects/find-key.ts'));
  const offered = source('service/src/generations/create-generation.ts', importing('../projects/queries.ts'));
  assert.deepEqual(messagesOf(store), []);
  assert.equal(messagesOf(foreign).length, 1);
  assert.deepEqual(messagesOf(offered), [], 'queries.ts is what a module offers to others');
  assert.deepEqual(messagesOf(plain), []);
});

test('every file beside the modules is wiring or base', () => {
  const [message, ...more] = messagesOf(source('service/src/amounts.ts'));
  assert.match(
    message ?? '',
    /stands beside the modules of service\/src and has no place: .* wiring or as base/,
  );
  assert.deepEqual(more, []);
  for (const placed of ['service/src/app.ts', 'service/src/iso-time.ts', 'service/src/config.test.ts'])
    assert.deepEqual(messagesOf(source(placed)), [], placed);
  assert.deepEqual(messagesOf(source('service/src/projects/amounts.ts')), []);
});

test('base is imported by all, and imports neither wiring nor a module', () => {
  const file = 'service/src/iso-time.ts';
  assert.deepEqual(messagesOf(source('service/src/preflight/a.ts', importing('../iso-time.ts'))), []);
  assert.deepEqual(messagesOf(source('service/src/app.ts', importing('./iso-time.ts'))), []);
  assert.deepEqual(messagesOf(source(file, importing('./own-address.ts'))), []);
  for (const refused of ['./problems/api-problem.ts', './config.ts'])
    assert.equal(messagesOf(source(file, importing(refused))).length, 1, refused);
});

test('wiring takes the routes of a module, and reads no store', () => {
  const file = 'studio/src/clean.ts';
  assert.deepEqual(messagesOf(source('studio/src/routes.ts', importing('./uploads/routes.ts'))), []);
  assert.deepEqual(messagesOf(source(file, importing('./uploads/queries.ts'))), []);
  for (const refused of ['./uploads/store.ts', './accounts/password-store.ts'])
    assert.equal(messagesOf(source(file, importing(refused))).length, 1, refused);
  assert.equal(messagesOf(source('studio/src/uploads/a.ts', importing('../clean.ts'))).length, 1);
});

test('a module builds on the modules before it in the order, and not on those after it', () => {
  const down = source('service/src/generations/create-generation.ts', importing('../catalog/find-model.ts'));
  const up = source('service/src/catalog/find-model.ts', importing('../generations/create-generation.ts'));
  assert.deepEqual(messagesOf(down), []);
  assert.equal(messagesOf(up).length, 1);
});

test('the console is put together from the ground up: components know no page, and pages nothing of the frame', () => {
  const file = 'console/src/media/MediaView.tsx';
  assert.deepEqual(messagesOf(source(file, importing('../ui/Icon.tsx'))), []);
  for (const refused of ['../pages/playground/search.ts', '../model-form/form-values.ts', '../main.tsx'])
    assert.equal(messagesOf(source(file, importing(refused))).length, 1, refused);
  const page = 'console/src/pages/keys/KeysPage.tsx';
  assert.equal(messagesOf(source(page, importing('../../app/router.tsx'))).length, 1);
});

test('a test may reach anywhere inside its own server, by path or by name', () => {
  assert.deepEqual(
    messagesOf(source('studio/test/a.test.ts', importing('@renderkit/studio/renders/store.ts'))),
    [],
  );
  assert.equal(messagesOf(source('studio/test/a.test.ts', importing('@renderkit/service/app.ts'))).length, 1);
  assert.deepEqual(
    messagesOf(source('service/src/projects/find-key.test.ts', importing('../generations/store.ts'))),
    [],
  );
  assert.deepEqual(messagesOf(source('service/test/creates.test.ts', importing('../src/app.ts'))), []);
});

test('a module without a place in the order is refused', () => {
  const messages = messagesOf(source('service/src/cellar/a.ts', importing('../projects/find-key.ts')));
  assert.match(messages.join(), /no place in orderedModules/);
});

test('the stack and the whole-stack tests import public entries alone; a benchmark may reach further', () => {
  const entry = importing('@renderkit/studio/operator.ts');
  const inside = importing('@renderkit/studio/credits/store.ts');
  assert.deepEqual(messagesOf(source('stack/src/main.ts', entry)), []);
  assert.equal(messagesOf(source('stack/src/main.ts', inside)).length, 1);
  assert.equal(messagesOf(source('e2e/chaos/load.ts', inside)).length, 1);
  assert.deepEqual(messagesOf(source('bench/size/times.ts', inside)), []);
});

test('files that import each other in a circle are reported, circles of types too', () => {
  const a = source('server-kit/src/work/a.ts', importing('./b.ts'));
  assert.equal(messagesOf(a, source('server-kit/src/work/b.ts', importing('./a.ts'))).length, 1);
  assert.equal(
    messagesOf(a, source('server-kit/src/work/b.ts', "import type { A } from './a.ts';")).length,
    1,
  );
  assert.deepEqual(messagesOf(a, source('server-kit/src/work/b.ts', importing('./c.ts'))), []);
});

test('an engine stands on the kit, and knows no other engine, no contract and no studio', () => {
  const file = 'engines/comfyui/src/engine.ts';
  for (const allowed of ['engine-kit/engine.ts', 'media-kit/ffmpeg.ts', 'egress/guarded-fetch.ts'])
    assert.deepEqual(messagesOf(source(file, importing(`@renderkit/${allowed}`))), []);
  for (const refused of ['engine-procedural/engine.ts', 'contract/studio/price.ts', 'studio/config.ts'])
    assert.equal(messagesOf(source(file, importing(`@renderkit/${refused}`))).length, 1, refused);
});

test('a file has 500 lines at most', () => {
  const lines = Array.from({ length: 500 }, () => '');
  assert.deepEqual(messagesOf(source('service/src/projects/long.ts', ...lines)), []);
  assert.equal(messagesOf(source('service/src/projects/long.ts', ...lines, '')).length, 1);
});

test('names that say nothing are refused, and so are names not in kebab-case', () => {
  assert.equal(messagesOf(source('service/src/projects/helpers.ts')).length, 1);
  assert.equal(messagesOf(source('service/src/lib/find-key.ts')).length, 1);
  assert.equal(messagesOf(source('service/src/projects/types.ts')).length, 1);
  assert.equal(messagesOf(source('service/src/projects/findKey.ts')).length, 1);
  assert.deepEqual(messagesOf(source('service/src/projects/find-key.test.ts')), []);
});

test('only config reads the environment', () => {
  const line = 'const port = process.env.PORT;';
  assert.deepEqual(messagesOf(source('service/src/config.ts', line)), []);
  assert.equal(messagesOf(source('service/src/projects/find-key.ts', line)).length, 1);
  assert.deepEqual(messagesOf(source('service/src/main.ts', 'start(readServiceConfig(process.env));')), []);
  assert.equal(messagesOf(source('service/src/main.ts', line)).length, 1);
});

test('SQL lives in store.ts and queries.ts alone', () => {
  const line = 'await sql`\n    select id from api_keys where revoked_at is null`;';
  assert.deepEqual(messagesOf(source('service/src/projects/store.ts', line)), []);
  assert.equal(messagesOf(source('service/src/projects/find-key.ts', line)).length, 1);
  assert.deepEqual(
    messagesOf(source('service/src/projects/find-key.ts', "const hint = 'select a model from the list';")),
    [],
  );
  const comment = '// What `sql/functions/find_key.sql` decides.';
  assert.deepEqual(messagesOf(source('service/src/projects/find-key.ts', comment)), []);
});

test('SQL asks clock() and never now()', () => {
  assert.equal(messagesOf(source('service/sql/migrations/001-keys.sql', 'select now();')).length, 1);
  assert.deepEqual(
    messagesOf(source('service/sql/migrations/001-keys.sql', 'select clock(); -- never now()')),
    [],
  );
  assert.equal(messagesOf(source('service/src/projects/store.ts', 'sql`select now()`;')).length, 1);
  assert.deepEqual(messagesOf(source('service/src/projects/store.ts', 'const at = Date.now();')), []);
});

test('exports have names, and no file passes on what another exports, except for entries', () => {
  const file = 'service/src/projects/find-key.ts';
  assert.equal(messagesOf(source(file, 'export default 1;')).length, 1);
  const passedOn = [
    "export * from './revoke-key.ts';",
    "export { revokeKey } from './revoke-key.ts';",
    "export type {\n  Key,\n} from './revoke-key.ts';",
    "export { newId } from '@renderkit/server-kit/ids.ts';",
  ];
  for (const line of passedOn) assert.equal(messagesOf(source(file, line)).length, 1, line);
  assert.deepEqual(messagesOf(source(file, "export type { Logger } from 'pino';")), []);
  assert.deepEqual(messagesOf(source(file, 'export { revokeKey };')), []);
  for (const entry of ['service/src/operator.ts', 'clients/sdk/src/renderkit.ts'])
    assert.deepEqual(messagesOf(source(entry, "export { listKeys } from './keys/list-keys.ts';")), [], entry);
});
