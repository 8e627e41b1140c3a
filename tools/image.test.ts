// Tests the image's files: what they state about this version is true, and they contain no secrets.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { serviceNodeOptions } from '@renderkit/service/config.ts';
import { workerNodeOptions } from '@renderkit/studio/config.ts';
import { assertKnown } from './part-environments.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

test('the labels name this release, those that it may follow, and this version', async () => {
  const containerfile = await read('Containerfile');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  const labels = new Map(
    [...containerfile.matchAll(/([\w.]+)="([^"]*)"/g)].map(([, name, text]) => [name, text]),
  );
  assert.equal(labels.get('renderkit.release'), `${release}`);
  assert.equal(labels.get('renderkit.follows'), `${release - 1},${release}`);
  assert.equal(labels.get('renderkit.databases'), `${release},${release + 1}`);
  assert.equal(labels.get('org.opencontainers.image.version'), version);
});

test('the parts read what the image sets', async () => {
  const [, settings = ''] = /.*^ENV (.*?)$/ms.exec(await read('Containerfile')) ?? [];
  assertKnown(
    Object.fromEntries([...settings.matchAll(/(\w+)=(\S+)/g)].map(([, name, text]) => [name, text])),
  );
});

test('whatever npm asks a registry for, it asks that of --secret id=npmrc, and trusts the base', async () => {
  const containerfile = (await read('Containerfile')).replaceAll('\\\n', ' ');
  const asks = [...containerfile.matchAll(/^RUN .*\bnpm (?:install|ci)\b.*$/gm)];
  assert.equal(asks.length, 2);
  for (const { 0: line, index } of asks) {
    assert.match(line, /^RUN --mount=type=secret,id=npmrc,target=\/root\/\.npmrc /);
    assert.ok(containerfile.slice(0, index).includes('\nENV NODE_EXTRA_CA_CERTS='));
  }
});

test('the entry point starts compiled programs', async () => {
  const started = [...(await read('deploy/image/renderkit')).matchAll(/program=(\S+)/g)].map(
    ([, name]) => name,
  );
  assert.equal(started.length, 5);
  const compiled = await read('stack/compiled-programs.mjs');
  for (const name of started) assert.ok(compiled.includes(`'${name}.ts'`), `${name}.ts is compiled`);
});

test('service and worker are started with the same options of Node everywhere', async () => {
  for (const [program, options] of [
    ['service/src/main', serviceNodeOptions],
    ['studio/src/worker', workerNodeOptions],
  ] as const) {
    const inImage = new RegExp(`program=${program}\n.*\n\\s+options=${options.join(' ')}\n`);
    assert.match(await read('deploy/image/renderkit'), inImage);
    const launched = options.map((option) => `'${option}'`).join(', ');
    assert.ok((await read('stack/launch.mjs')).includes(`'${program}.ts': [${launched}]`));
  }
});

test('what git ignores because it is secret, the image ignores as well', async () => {
  const linesOf = async (file: string) =>
    new Set((await read(file)).split('\n').map((line) => line.replaceAll(/^\/|\/$/g, '')));
  const [git, image] = [await linesOf('.gitignore'), await linesOf('.containerignore')];
  // Docker reads its own ignore file. If only one of the two files excluded a secret, an image would contain the
  // secret.
  const docker = await linesOf('Containerfile.dockerignore');
  const rules = (lines: Set<string>) => [...lines].filter((line) => !line.startsWith('#'));
  assert.deepEqual(rules(docker), rules(image));
  for (const secret of ['.data*', '*.backup', '*.backup.unfinished', '.env', 'deploy/compose/secrets'])
    assert.deepEqual([secret, git.has(secret), image.has(secret)], [secret, true, true]);
});
