import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FollowedJob } from './driver.ts';
import { saveResults } from './result-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'result-files-'));
after(() => rm(folder, { recursive: true }));
const route = {
  name: 'images',
  engine: 'openai-images',
  on: ['openai'],
  set: {},
  outputs: { kind: 'image', max_per_job: 1 },
} as const;
const job: FollowedJob = { id: crypto.randomUUID(), route, files: new Map(), outputs: 1, folder };

async function save(text: string): Promise<string> {
  const downloads = { save: () => Promise.reject(new Error('nothing is fetched')) };
  const source = { backend: 'openai', downloads, at: '/data/*' };
  const [file] = await saveResults({ data: [{ b64_json: text }] }, job, source, AbortSignal.timeout(60_000));
  return readFile(file?.path ?? '', 'utf8');
}

test('base64 is taken with its line ends, padding and data URI, and nothing else is', async () => {
  const encoded = Buffer.from('a picture').toString('base64');
  const padded = Buffer.from('a picture!').toString('base64');
  assert.match(padded, /=$/);
  for (const [text, expected] of [
    [encoded, 'a picture'],
    [`${padded}\r\n \n`, 'a picture!'],
    [`${encoded.slice(0, 4)}\n${encoded.slice(4)}`, 'a picture'],
    [`data:image/png;base64,${padded}`, 'a picture!'],
  ] as const) {
    assert.equal(await save(text), expected);
  }
  for (const text of ['', '<html>', 'A=A', 'A==='])
    await assert.rejects(save(text), { badResult: true, blame: 'backend' }, text);
});

test('an answer full of space does not hold the process up', async () => {
  const begun = performance.now();
  await assert.rejects(save(`A${' '.repeat(100_000)}!`), { badResult: true });
  // This takes many seconds if each space can match in two places, and a millisecond otherwise.
  assert.ok(performance.now() - begun < 3_000);
});
