// Tests the package as users get it: packed, installed in an empty project, compiled strictly, and small.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import type { Model } from 'renderkit';
import { modelTypes } from 'renderkit/model-schema';
import { rolldown } from 'rolldown';
import { type PackedProject, packClient, root } from './pack.ts';

const run = promisify(execFile);
const maxGzippedBytes = { renderkit: 15_000, 'renderkit/webhooks': 2_000 };

describe('the packed client', () => {
  let packed: PackedProject;
  let project: string;
  let installed: string;

  before(async () => {
    packed = await packClient();
    project = packed.folder;
    installed = packed.installed;
  });
  after(() => packed[Symbol.asyncDispose]());

  test('it holds what runs, its types, README and licence, and neither sources nor tests', async () => {
    const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)));
    const outside = files.filter((file) => !file.startsWith('dist/'));
    assert.deepEqual(outside.toSorted(), ['LICENSE', 'README.md', 'package.json']);
    const strange = files.filter(
      (file) => file.startsWith('dist/') && !/(?<!\.test)\.(js|d\.ts)$/.test(file),
    );
    assert.deepEqual(strange, []);
    const { dependencies, version } = JSON.parse(
      await readFile(path.join(installed, 'package.json'), 'utf8'),
    ) as { dependencies?: object; version: string };
    assert.equal(dependencies, undefined);
    assert.match(await readFile(path.join(installed, 'dist/version.js'), 'utf8'), new RegExp(`'${version}'`));
  });

  for (const exact of [true, false]) {
    test(`the README compiles strictly, exactOptionalPropertyTypes ${exact ? 'on' : 'off'}`, async () => {
      const readme = await readFile(path.join(installed, 'README.md'), 'utf8');
      const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '');
      assert.equal(blocks.length, 4);
      const folder = path.join(project, exact ? 'exact' : 'loose');
      await mkdir(folder);
      await Promise.all(
        blocks.map((code, index) =>
          writeFile(path.join(folder, `block-${index}.ts`), `${code}\nexport {};\n`),
        ),
      );
      await compile(folder, { exactOptionalPropertyTypes: exact });
    });
  }

  test('what is for Node compiles in a project that names no types', async () => {
    const folder = path.join(project, 'untyped');
    await mkdir(folder);
    const program = `import { save } from 'renderkit/node';\nvoid save;\n`;
    await writeFile(path.join(folder, 'program.ts'), program);
    await compile(folder, { types: [] });
  });

  test('models that were declared complete their names and have their options checked', async () => {
    const folder = path.join(project, 'declared');
    await mkdir(folder);
    const text = modelTypes([declaredModel]);
    await writeFile(path.join(folder, 'renderkit-models.d.ts'), text);
    const program = `
      import Renderkit, { type ImageParams } from 'renderkit';
      declare const rk: Renderkit;
      declare const some: string;
      const kept: ImageParams = { model: 'atelier-1', options: { seed: 1 } };
      await rk.images.create(kept);
      await rk.images.run({ model: 'atelier-1', prompt: 'a', options: { seed: 1, mood: 'calm', tiled: true } });
      await rk.images.run({ model: some, prompt: 'a', options: { anything: 1 } });
      await rk.images.run({ prompt: 'a', options: { anything: 1 } });
      await rk.images.run({ model: 'another', prompt: 'a', options: { anything: 1 } });
      await rk.estimate({ kind: 'image', model: 'atelier-1', options: { seed: 1 } });
      // @ts-expect-error a value that it does not offer
      await rk.images.run({ model: 'atelier-1', prompt: 'a', options: { mood: 'wild' } });
      // @ts-expect-error an option that it does not have
      await rk.images.create({ model: 'atelier-1', prompt: 'a', options: { steps: 5 } });
      // @ts-expect-error the same in an estimate
      await rk.estimate({ kind: 'image', model: 'atelier-1', options: { steps: 5 } });
    `;
    await writeFile(path.join(folder, 'program.ts'), `${program}\nexport {};\n`);
    await compile(folder, {});
  });

  test('it is imported and required by Node, and its mock works from there', async () => {
    const program = `
      const { default: Renderkit } = require('renderkit');
      const { mockRenderkit } = require('renderkit/testing');
      new Renderkit(mockRenderkit().options).images.run({ prompt: 'a lighthouse' })
        .then(({ status }) => import('renderkit/webhooks').then(({ verify }) => console.log(status, typeof verify)));`;
    await writeFile(path.join(project, 'required.cjs'), program);
    const { stdout } = await run(process.execPath, [path.join(project, 'required.cjs')], {
      env: inheritedEnvironment(),
    });
    assert.equal(stdout.trim(), 'succeeded function');
  });

  for (const [name, limit] of Object.entries(maxGzippedBytes)) {
    test(`${name} is ${limit} bytes at most, minified and gzipped, with nothing of Node in it`, async () => {
      const entry = path.join(project, `${name.replace('/', '-')}.js`);
      await writeFile(entry, `export * from '${name}';`);
      await using bundle = await rolldown({ input: entry, platform: 'browser', logLevel: 'silent' });
      const { output } = await bundle.generate({ minify: true });
      const { code } = output[0];
      assert.doesNotMatch(code, /["']node:/);
      const size = gzipSync(code).length;
      assert.ok(size <= limit, `${size} bytes`);
    });
  }
});

/** Compiles the files of a folder as a strict project does. */
async function compile(
  folder: string,
  options: { exactOptionalPropertyTypes?: boolean; types?: string[] },
): Promise<void> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    ...options,
  };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', folder]).catch((error: { stdout?: string }) => {
    assert.fail(error.stdout);
  });
}

/** A model with an option of each kind that a declaration can contain, and with a name that would end its comment. */
const declaredModel = {
  id: 'atelier-1',
  name: 'Atelier */ 1',
  suites: ['image'],
  parameters: {
    options: [
      { key: 'seed', name: 'Seed', type: 'slider', min: 0, max: 9, step: 1, default: 0 },
      {
        key: 'mood',
        name: 'Mood',
        type: 'select',
        values: [
          { value: 'calm', label: 'Calm' },
          { value: 'stormy', label: 'Stormy' },
        ],
        default: 'calm',
      },
      { key: 'tiled', name: 'Tiled', type: 'toggle', default: 0 },
    ],
  },
} as unknown as Model;
