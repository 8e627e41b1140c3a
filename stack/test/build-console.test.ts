import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { buildConsole } from '@renderkit/stack/build-console.ts';

const dist = path.resolve(import.meta.dirname, '../../console/dist');
const environment = process.env;
/** Gzipped script that a browser fetches before the first page shows. */
const firstLoadBytes = 300_000;

before(() => buildConsole({ environment }), { timeout: 200_000 });

test('the console is built once for the sources that there are', async () => {
  assert.equal(await buildConsole({ environment }), 'fresh');
});

test(
  'a console whose files are gone is built again, by one of two that want it',
  { timeout: 200_000 },
  async () => {
    await rm(`${dist}.sources`);
    const outcomes = await Promise.all([buildConsole({ environment }), buildConsole({ environment })]);
    assert.deepEqual(outcomes.sort(), ['built', 'fresh']);
    assert.ok((await readdir(dist)).includes('index.html'));
  },
);

test('the first page needs 300 kB of gzipped script at most, its own code included', async () => {
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

/** Adds a script and all that it imports at once, not what it imports later. */
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
  // Names that stand in libraries' texts: namespaces, and where to read about an error.
  const words =
    /^https?:\/\/(?:www\.w3\.org|react\.dev|reactjs\.org|mantine\.dev|tanstack\.com|help\.mantine\.dev|github\.com|radix-ui\.com|floating-ui\.com|localhost|renderkit\.example|api\.example|example\.(?:com|org))(?:[/:]|$)/;
  for (const name of await readdir(path.join(dist, 'assets'))) {
    if (!/\.(?:js|css)$/.test(name)) continue;
    const text = await readFile(path.join(dist, 'assets', name), 'utf8');
    for (const [address] of text.matchAll(/https?:\/\/[a-z0-9][\w.-]*(?::\d+)?\/?/gi))
      assert.match(address, words, name);
    assert.doesNotMatch(text, /@import|url\((?!["']?(?:data:|\/console\/|#))/, name);
    assert.doesNotMatch(text, /\bTypeBox\b|~kind/, name);
    assert.doesNotMatch(text, /(?<![\w.$])(?:eval|new Function)\(/, name);
  }
});
