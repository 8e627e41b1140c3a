import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const ownRoot = path.resolve(import.meta.dirname, '../..');
const program = 'service/src/main.ts';
const says = (said: string) => `export const said: string = ${JSON.stringify(said)};\n`;

/** Creates a tree whose programs print what `said.ts` exports, then their location and where an error is thrown. */
async function smallTree() {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'renderkit-compiled-')));
  const file = (name: string) => path.join(root, name);
  const scripts = ['launch.mjs', 'compiled-programs.mjs', 'compile-programs.mjs', 'map-stacks.mjs'];
  await mkdir(file('stack'));
  for (const name of scripts) await cp(path.join(ownRoot, 'stack', name), file(`stack/${name}`));
  const { PROGRAMS } = (await import(pathToFileURL(file('stack/compiled-programs.mjs')).href)) as {
    PROGRAMS: string[];
  };
  for (const name of PROGRAMS) {
    await mkdir(path.dirname(file(name)), { recursive: true });
    await writeFile(
      file(name),
      [
        `import { said } from ${JSON.stringify(path.relative(path.dirname(name), 'contract/said.ts'))};`,
        'interface Unused { a: 1 }',
        'const where = /main\\.ts:\\d+/.exec(String(new Error().stack))?.[0];',
        'console.log(said, import.meta.dirname, where, process.argv[1]);',
        'if (process.connected) process.disconnect();',
      ].join('\n'),
    );
  }
  await mkdir(file('contract'));
  await writeFile(file('contract/said.ts'), says('one'));
  // Makes the launcher assume that the packages are installed.
  await cp(path.join(ownRoot, 'package-lock.json'), file('package-lock.json'));
  await mkdir(file('node_modules'));
  await mkdir(file('console'));
  await writeFile(file('console/package.json'), '{}');
  await cp(path.join(ownRoot, 'node_modules/.renderkit-install'), file('node_modules/.renderkit-install'));
  const builds = file('node_modules/.cache/programs');
  return {
    root,
    write: (name: string, content: string) => writeFile(file(name), content),
    install: () => symlink(path.join(ownRoot, 'node_modules/vite'), file('node_modules/vite')),
    builds: () => readdir(builds),
    age: async (name: string) => utimes(path.join(builds, name), 0, Date.now() / 1000 - 3 * 3600),
    start: async () => {
      const { COMPILED_PROGRAMS: _, npm_lifecycle_event: __, ...env } = process.env;
      const child = spawn(process.execPath, [file('stack/launch.mjs'), program], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env,
      });
      const [out, told] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { out: out.trim(), told };
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const sourceOf = (root: string) => `${path.join(root, 'service/src')} main.ts:3`;

test('a program is compiled once for the sources that there are, and names their files and lines', async () => {
  await using tree = await smallTree();
  await tree.install();
  const started = await Promise.all([tree.start(), tree.start()]);
  const [build = ''] = await tree.builds();
  const compiled = path.join(tree.root, 'node_modules/.cache/programs', build, 'service/src/main.mjs');
  for (const { out, told } of started)
    assert.deepEqual([out, told], [`one ${sourceOf(tree.root)} ${compiled}`, '']);
  assert.equal((await tree.builds()).length, 1);
  await tree.write('contract/said.ts', says('two'));
  assert.match((await tree.start()).out, /^two .*\.mjs$/);
  assert.equal((await tree.builds()).length, 2);
});

test('a program that cannot be compiled runs from its sources', async () => {
  await using tree = await smallTree();
  const { out, told } = await tree.start();
  assert.equal(out, `one ${sourceOf(tree.root)} ${path.join(tree.root, program)}`);
  assert.match(told, /^Running from the sources, .*\n$/);
  await tree.install();
  await tree.write('contract/said.ts', 'export const said: string = ;');
  assert.match((await tree.start()).told, /^Running from the sources, .*\n[^]*said\.ts/);
  assert.deepEqual(await tree.builds(), []);
});

test('the three builds that were used last stay, and every one that was used in the last two hours', async () => {
  await using tree = await smallTree();
  await tree.install();
  for (const said of ['1', '2', '3', '4']) {
    await tree.write('contract/said.ts', says(said));
    await tree.start();
  }
  const builds = await tree.builds();
  assert.equal(builds.length, 4);
  for (const name of builds) await tree.age(name);
  await tree.write('contract/said.ts', says('5'));
  await tree.start();
  assert.equal((await tree.builds()).length, 3);
  assert.equal((await tree.builds()).filter((name) => !builds.includes(name)).length, 1);
});

test('a program reads what it needs of Node, and the stack of an error thrown late names its source', async () => {
  await using tree = await smallTree();
  await tree.install();
  await tree.write(
    program,
    [
      "import { setTimeout as sleep } from 'node:timers/promises';",
      "import path, { basename } from 'node:path';",
      "import * as http from 'node:http';",
      'type Late = { reason: string };',
      '',
      'const fail = (late: Late): never => {',
      '  throw Object.assign(new TypeError(late.reason), late);',
      '};',
      'await sleep(1);',
      "console.log(path.join('a', basename('/b/c')), typeof http.createServer);",
      'process.exitCode = 1;',
      "fail({ reason: 'late $& $1' });",
    ].join('\n'),
  );
  const { out, told } = await tree.start();
  assert.equal(out, `${path.join('a', 'c')} function`);
  const file = path.join(tree.root, program);
  assert.ok(told.includes(`TypeError: late $& $1\n    at fail (${file}:7:`), told);
  assert.ok(told.includes(`\n    at ${file}:12:1`), told);
});
