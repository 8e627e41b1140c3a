import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { noOlderRelease, prepareByThisTree, type Tree, unpackOlderRelease } from './harness/older-release.ts';

/** The older tree's tests give a part half a minute to start, which a busy machine does not keep. */
async function giveTimeToStart(tree: Tree): Promise<void> {
  const file = path.join(tree.directory, 'e2e/harness/part.ts');
  const text = await readFile(file, 'utf8');
  const patient = text.replace('const readyWithinMs = 30_000;', 'const readyWithinMs = 120_000;');
  assert.notEqual(patient, text);
  await writeFile(file, patient);
}

/** Runs one of the older tree's own files of tests, on databases that this tree prepares. */
async function runTests(tree: Tree, file: string): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', path.join(tree.directory, file)], {
    cwd: tree.directory,
    // It is no test of this run, and tells its outcome in words.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

for (const [what, file] of [
  ['keeps every promise of its specification', 'e2e/spec/spec.test.ts'],
  ['refuses as it says', 'e2e/spec/errors.test.ts'],
  ['breaks no invariant under twenty kills', 'e2e/chaos/chaos.test.ts'],
] as const)
  test(`on databases that this release prepared, the one before ${what}`, async (t) => {
    if (noOlderRelease !== false) return t.skip(noOlderRelease);
    await using older = await unpackOlderRelease();
    await giveTimeToStart(older);
    await prepareByThisTree(older);
    const { code, text } = await runTests(older, file);
    assert.equal(code, 0, text.slice(-8_000));
    assert.match(text, /^ℹ fail 0$/m);
    assert.doesNotMatch(text, /^ℹ pass 0$/m);
  });
