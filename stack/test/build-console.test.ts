import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { buildConsole } from '@renderkit/stack/build-console.ts';

const dist = path.resolve(import.meta.dirname, '../../console/dist');
const environment = process.env;
/** The gzipped size of the scripts that a browser fetches before the first page shows. */
const firstLoadBytes = 190_000;
/** The part of the typeface with the letters of Western Europe. */
const firstTypefaceBytes = 60_000;

before(() => buildConsole({ environment }), { timeout: 200_000 });

test('the console is built once for the sources that there are', async () => {
  assert.equal(await buildConsole({ environment }), 'fresh');
});

/** Creates a tree with a console of one page and with the packages of this tree. */
async function smallTree(page: string) {
  const root = await mkdtemp(path.join(tmpdir(), 'renderkit-console-'));
  const file = (name: string) => path.join(root, 'console', name);
  await mkdir(file('dist'), { recursive: true });
  await writeFile(file('dist/index.html'), 'as before');
  await writeFile(file('index.html'), page);
  return {
    root,
    install: () => symlink(path.resolve(dist, '../../node_modules'), path.join(root, 'node_modules')),
    write: (text: string) => writeFile(file('index.html'), text),
    built: () => readFile(file('dist/index.html'), 'utf8'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

test('a console whose sources changed is built again, by one of two that want it', async () => {
  await using tree = await smallTree('<p>one</p>');
  await tree.install();
  const build = () => buildConsole({ environment, root: tree.root });
  assert.deepEqual((await Promise.all([build(), build()])).sort(), ['built', 'fresh']);
  assert.match(await tree.built(), /one/);
  assert.equal(await build(), 'fresh');
  await tree.write('<p>two</p>');
  assert.equal(await build(), 'built');
  assert.match(await tree.built(), /two/);
});

test('a console that cannot be built says what to do, and what was there stays', async () => {
  await using tree = await smallTree('<script type="module" src="/missing.ts"></script>');
  const build = () => buildConsole({ environment, root: tree.root });
  await assert.rejects(build(), /without the package vite: run "npm ci"/);
  await tree.install();
  await assert.rejects(build(), /could not be built[^]*missing\.ts/);
  assert.equal(await tree.built(), 'as before');
  await tree.write('<p>mended</p>');
  assert.equal(await build(), 'built');
  assert.match(await tree.built(), /mended/);
});

test('the first page needs 190 kB of gzipped script at most, its own code included', async () => {
  const index = await readFile(path.join(dist, 'index.html'), 'utf8');
  const first = [...index.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)].map(
    ([, name]) => name ?? '',
  );
  assert.ok(first.length > 0);
  const wanted = new Set(first);
  for (const name of await readdir(path.join(dist, 'assets')))
    if (/^OverviewPage-.*\.js$/.test(name)) await follow(`assets/${name}`, wanted);
  for (const name of first) await follow(name, wanted);
  let total = 0;
  for (const name of wanted) total += gzipSync(await readFile(path.join(dist, name))).length;
  assert.ok(total < firstLoadBytes, `${total} bytes in ${wanted.size} files`);
});

test('the typeface comes from here, beside the script and not after it, and its licence comes with it', async () => {
  const index = await readFile(path.join(dist, 'index.html'), 'utf8');
  const [, name = ''] =
    /<link rel="preload" as="font" type="font\/woff2" href="\/console\/([^"]+)" crossorigin>/.exec(index) ??
    [];
  const { size } = await stat(path.join(dist, name));
  assert.ok(size < firstTypefaceBytes, `${size} bytes`);
  assert.match(
    await readFile(path.join(dist, 'assets/figtree-LICENSE.txt'), 'utf8'),
    /SIL Open Font License/,
  );
});

/** Adds a script and all its static imports, but not its dynamic imports. */
async function follow(name: string, found: Set<string>): Promise<void> {
  found.add(name);
  const text = await readFile(path.join(dist, name), 'utf8');
  for (const [, other = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
    if (!found.has(`assets/${other}`)) await follow(`assets/${other}`, found);
}

test('large files lie compressed beside themselves, ready to be handed out', async () => {
  const names = await readdir(path.join(dist, 'assets'));
  for (const name of names.filter((one) => /^index-.*\.(?:js|css)$/.test(one))) {
    const text = await readFile(path.join(dist, 'assets', name));
    const read = (ending: string) => readFile(path.join(dist, 'assets', `${name}.${ending}`));
    assert.deepEqual(gunzipSync(await read('gz')), text);
    assert.deepEqual(brotliDecompressSync(await read('br')), text);
  }
});

test('nothing in the page runs or is loaded from where the policy does not let it', async () => {
  const index = await readFile(path.join(dist, 'index.html'), 'utf8');
  assert.doesNotMatch(index, /<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|<style/);
  for (const [, address = ''] of index.matchAll(/(?:src|href)="([^"]*)"/g))
    assert.match(address, /^\/console\//);
  assert.match(index, /<meta name="csp-nonce" content="__NONCE__"/);
});

test('no file of the console fetches anything from another place, and no schema library is in it', async () => {
  // Names in the texts of libraries: namespaces and links about errors. Also the example address of a backend in a
  // field.
  const words =
    /^https?:\/\/(?:www\.w3\.org|react\.dev|reactjs\.org|mantine\.dev|tanstack\.com|help\.mantine\.dev|github\.com|radix-ui\.com|floating-ui\.com|localhost|renderkit\.example|api\.example|10\.0\.0\.\d|api\.openai\.com|queue\.fal\.run|api\.replicate\.com|example\.(?:com|org))(?:[/:]|$)/;
  for (const name of await readdir(path.join(dist, 'assets'))) {
    if (!/\.(?:js|css)$/.test(name)) continue;
    const text = await readFile(path.join(dist, 'assets', name), 'utf8');
    for (const [address] of text.matchAll(/https?:\/\/[a-z0-9][\w.-]*(?::\d+)?\/?/gi))
      assert.match(address, words, name);
    assert.doesNotMatch(text, /@import|url\((?!["']?(?:data:|\/console\/|\.\/|#))/, name);
    assert.doesNotMatch(text, /\bTypeBox\b|~kind/, name);
    assert.doesNotMatch(text, /(?<![\w.$])(?:eval|new Function)\(/, name);
  }
});
