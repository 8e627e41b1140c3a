import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { applyFiles, findFilesToApply } from '@renderkit/studio/administration/apply.ts';
import { applyBackendsFile } from '@renderkit/studio/backends/apply-backends.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import { setBackend, showBackend } from '@renderkit/studio/backends/manage-backends.ts';
import { listBackends } from '@renderkit/studio/backends/queries.ts';
import { openMedia } from '@renderkit/studio/storage/open-media.ts';

const secrets = openBackendSecrets(Buffer.alloc(32, 3));
const good = `
backends:
  - { name: gpu1, engine: comfyui, url: 'http://10.0.0.5:8188', labels: [gpu, gpu24] }
  - name: fal
    engine: fal
    slots: 20
    secret: { env: FAL_KEY }
    headers: { X-Team: blue, X-Key: { secret: { env: FAL_KEY } } }
    max_cost: { currency: USD, per_day: 20 }
  - { name: here, engine: command, slots: 1 }
credit_value: { currency: USD, per_credit: 0.02 }
`;

type Setup = AsyncDisposable & {
  database: Database;
  directory: string;
  /** Writes the file and starts. Returns what the start logged. */
  start: (text: string, variables?: Record<string, string>) => Promise<string[]>;
};

async function open(): Promise<Setup> {
  await using owners = new AsyncDisposableStack();
  const { database } = owners.use(await createTestDatabase('studio'));
  const directory = await mkdtemp(path.join(tmpdir(), 'backends-file-'));
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  const owned = owners.move();
  return {
    database,
    directory,
    start: async (text, variables = { FAL_KEY: 'sk-secret' }) => {
      await writeFile(path.join(directory, 'backends.yaml'), text);
      const said: string[] = [];
      const say = (_: object, message: string) => void said.push(message);
      await applyBackendsFile(database, directory, {
        secrets,
        variables,
        log: { info: say, warn: say, error: say },
      });
      return said;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The studio's default. */
const worthBefore = { currency: 'USD', per_credit: 0.01 };

test('a file of backends is in force after a start, and again where it changed', async () => {
  await using setup = await open();
  const { database, start } = setup;
  assert.deepEqual(await start(good), []);
  assert.deepEqual(
    (await listBackends(database)).map(({ name, url, slots, labels }) => [name, url, slots, labels]),
    [
      ['fal', 'https://queue.fal.run', 20, []],
      ['gpu1', 'http://10.0.0.5:8188', 1, ['gpu', 'gpu24']],
      ['here', null, 1, []],
      ['procedural', null, null, []],
      ['sandbox', null, null, []],
    ],
  );
  const [value] = await database.rows('select currency, per_credit from credit_value');
  assert.deepEqual(value, { currency: 'USD', per_credit: 0.02 });
  const [worth] = await database.rows(
    `select actor, before, after from admin_audit where action = 'credit_value.changed'`,
  );
  assert.deepEqual(worth, {
    actor: 'file',
    before: worthBefore,
    after: { currency: 'USD', per_credit: 0.02 },
  });
  const audit = () => database.rows('select from admin_audit');
  const acts = (await audit()).length;
  assert.deepEqual(await start(good), []);
  assert.equal((await audit()).length, acts, 'the same file does nothing');
  await start(good.replace('[gpu, gpu24]', '[gpu]'));
  assert.deepEqual((await showBackend(database, 'gpu1')).labels, ['gpu']);
});

test('what an operator changed is left by a start, and put back by apply', async () => {
  await using setup = await open();
  const { database, directory, start } = setup;
  await start(good);
  await setBackend('gpu1', { slots: 4 }, { database, secrets, actor: 'operator' });
  const [sentence] = await start(good.replace('gpu24]', 'gpu24], slots: 2'));
  assert.match(sentence ?? '', /changed by other means since: `apply` puts the file in force/);
  assert.equal((await showBackend(database, 'gpu1')).slots, 4);
  const files = await findFilesToApply(directory);
  const apply = () =>
    applyFiles(database, files, {
      secrets,
      variables: { FAL_KEY: 'sk-secret' },
      openMedia: () => openMedia(database, { dataDirectory: directory }),
    });
  assert.deepEqual(
    (await apply()).map(({ kind, id, result }) => [kind, id, result]),
    [['backends', 'backends', 'applied']],
  );
  assert.equal((await showBackend(database, 'gpu1')).slots, 2);
  assert.equal((await apply())[0]?.result, 'unchanged');
});

test('a broken file refuses the first start, and later leaves what is in force', async () => {
  await using setup = await open();
  const { database, start } = setup;
  await assert.rejects(
    start('backends: [{ name: x, engine: comfy }]'),
    /^ConfigError: .*backends\.yaml cannot be used/,
  );
  await assert.rejects(start(good, {}), /fal names the variable FAL_KEY, which is not set or empty/);
  assert.equal((await listBackends(database)).length, 2, 'all of it or nothing');
  await start(good);
  assert.match((await start(good.replace('slots: 20', 'slots: many')))[0] ?? '', /stays in force/);
  assert.match((await start(good.replace('name: here', 'name: fal')))[0] ?? '', /stays in force/);
  assert.match((await start(good.replace('engine: comfyui', 'engine: a1111')))[0] ?? '', /stays in force/);
  assert.equal((await showBackend(database, 'fal')).slots, 20);
});
