import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createLogger } from '@renderkit/server-kit/logger.ts';
import { openRuleList } from './rule-list.ts';

const log = createLogger({ part: 'test', level: 'silent' });

test('phrases are found however they are spelt, and only as whole words', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'moderation-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = path.join(directory, 'moderation.json');
  const moderation = await openRuleList({ path: file, log });
  for (const text of [
    'a B0MB RECIPE',
    'bómb   recipe',
    'b\u200bomb-recipe',
    'r a p e',
    'ｒａｐｅ',
    'r4p3',
    'Bomb recipe!',
    'now!bomb recipe',
    'snuff f!lm!',
    '$nuff film｜',
  ])
    assert.notEqual(await moderation.judgeText(text), undefined, text);
  for (const text of ['a field of rapeseed', 'grapes', 'bath bombs, recipe book', 'a lighthouse at 5 pm', ''])
    assert.equal(await moderation.judgeText(text), undefined, text);
});

test('the rules are made where there are none, read again when they change, and kept when they break', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'moderation-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = path.join(directory, 'moderation.json');
  const moderation = await openRuleList({ path: file, log });
  assert.match(await readFile(file, 'utf8'), /"rules"/);
  assert.equal(await moderation.judgeText('a zeppelin'), undefined);
  await writeFile(file, JSON.stringify({ rules: [{ reason: 'airships', phrases: ['zeppelin'] }] }));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  assert.equal((await moderation.judgeText('a Zeppelin'))?.reason, 'airships');
  await writeFile(file, '{"rules": 5}');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  assert.equal((await moderation.judgeText('a zeppelin'))?.reason, 'airships');
});

test('uploads are judged by their names and their bytes, and some are put off', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'moderation-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = path.join(directory, 'moderation.json');
  // A file of before uploads were judged.
  await writeFile(file, JSON.stringify({ rules: [{ reason: 'airships', phrases: ['zeppelin'] }] }));
  const moderation = await openRuleList({ path: file, log });
  const sha256 = 'ab'.repeat(32);
  const reasonOf = async (fileName: string) => (await moderation.judgeUpload({ fileName, sha256 }))?.reason;
  assert.match((await reasonOf('My Sandbox-Rejected (1).PNG')) ?? '', /to try/);
  assert.equal(await reasonOf('a zeppelin.png'), undefined);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slow.png'), 20);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slower.png'), 0);
  const uploads = { rules: [{ reason: 'known', phrases: [], sha256: [sha256] }], slow: [] };
  await writeFile(file, JSON.stringify({ rules: [], uploads }));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  assert.equal(await reasonOf('holiday.png'), 'known');
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slow.png'), 0);
});
