import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { type Moderation, openRuleList } from './moderation.ts';

let db: TestDatabase;
before(async () => (db = await createTestDatabase('studio')));
after(() => db[Symbol.asyncDispose]());

async function newFile(t: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'moderation-'));
  t.after(() => rm(directory, { recursive: true }));
  return path.join(directory, 'moderation.json');
}

const lines: string[] = [];
const log = createLogger({ part: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });

function open(file: string, options: { leads?: boolean } = {}): Promise<Moderation> {
  return openRuleList({ path: file, database: db.database, log, leads: options.leads ?? false });
}

const oneRule = (phrase: string) => JSON.stringify({ rules: [{ reason: phrase, phrases: [phrase] }] });
const untilLookedAgain = () => sleep(1_100);

test('phrases are found however they are spelt, and only as whole words', async (t) => {
  const file = await newFile(t);
  const moderation = await open(file);
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
    assert.notEqual(await moderation.moderateText(text), undefined, text);
  for (const text of ['a field of rapeseed', 'grapes', 'bath bombs, recipe book', 'a lighthouse at 5 pm', ''])
    assert.equal(await moderation.moderateText(text), undefined, text);
});

test('the rules are made where there are none, read again when they change, and kept when they break', async (t) => {
  const file = await newFile(t);
  const moderation = await open(file);
  assert.match(await readFile(file, 'utf8'), /"rules"/);
  assert.equal(await moderation.moderateText('a zeppelin'), undefined);
  await writeFile(file, JSON.stringify({ rules: [{ reason: 'airships', phrases: ['zeppelin'] }] }));
  await untilLookedAgain();
  assert.equal((await moderation.moderateText('a Zeppelin'))?.reason, 'airships');
  await writeFile(file, '{"rules": 5}');
  await untilLookedAgain();
  assert.equal((await moderation.moderateText('a zeppelin'))?.reason, 'airships');
  const errors = () => lines.filter((line) => line.includes('those read before stay in force'));
  assert.equal(errors().length, 1);
  assert.match(errors()[0] ?? '', /rules must be a list/);
  // Neither is the same told at each look, nor are the defaults in force once it is gone.
  await rm(file);
  await untilLookedAgain();
  assert.equal((await moderation.moderateText('a zeppelin'))?.reason, 'airships');
  assert.equal(errors().length, 1);
  await writeFile(file, oneRule('balloon'));
  await untilLookedAgain();
  assert.equal((await moderation.moderateText('a zeppelin'))?.reason, undefined);
  assert.equal((await moderation.moderateText('a balloon'))?.reason, 'balloon');
});

test('a start refuses a file that is broken in one sentence, and leaves it as it was', async (t) => {
  const file = await newFile(t);
  const broken = '{\n  "rules": [\n    {"reason": "a", "phrases": ["b"]},\n  ]\n}\n';
  await writeFile(file, broken);
  await assert.rejects(
    open(file),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(
        `The moderation rules in ${file} cannot be used (line 4 is no JSON: Unexpected token ']'): mend`,
      ) &&
      !error.message.includes('\n'),
  );
  assert.equal(await readFile(file, 'utf8'), broken);
  await rm(file);
  await mkdir(file);
  await assert.rejects(open(file), /cannot be used \(it is no file\): mend/);
});

test('a file that is being written when a start reads it is read again', async (t) => {
  const file = await newFile(t);
  const text = oneRule('zeppelin');
  await writeFile(file, text.slice(0, 20));
  const opening = open(file);
  await sleep(100);
  await writeFile(file, text);
  assert.equal((await (await opening).moderateText('a zeppelin'))?.reason, 'zeppelin');
});

test('a file that is gone at a later start is made again from the rules last in force', async (t) => {
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  const studio = await open(file, { leads: true });
  await writeFile(file, oneRule('balloon'));
  await untilLookedAgain();
  assert.equal(await studio.moderateText('a zeppelin'), undefined);
  // A worker's copy that was not kept up is nobody's word.
  const elsewhere = await newFile(t);
  await writeFile(elsewhere, oneRule('dirigible'));
  await open(elsewhere);
  await rm(file);
  const again = await open(file, { leads: true });
  assert.equal((await again.moderateText('a balloon'))?.reason, 'balloon');
  assert.equal(await readFile(file, 'utf8'), oneRule('balloon'));
  assert.ok(lines.some((line) => line.includes('made again from the rules last in force')));
  const newWorker = await open(await newFile(t));
  assert.equal((await newWorker.moderateText('a balloon'))?.reason, 'balloon');
});

test('studio and worker that make the file at the same moment read the same', async (t) => {
  const file = await newFile(t);
  await Promise.all(Array.from({ length: 8 }, (_, i) => open(file, { leads: i === 0 })));
  const names = await readdir(path.dirname(file));
  assert.deepEqual(names, ['moderation.json']);
});

test('the file is for its owner alone', { skip: process.platform === 'win32' }, async (t) => {
  const file = await newFile(t);
  await open(file);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await chmod(file, 0o644);
  await open(file);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('uploads are checked by their names and their bytes, and some are put off', async (t) => {
  const file = await newFile(t);
  // A file from before uploads were moderated.
  await writeFile(file, JSON.stringify({ rules: [{ reason: 'airships', phrases: ['zeppelin'] }] }));
  const moderation = await open(file);
  const sha256 = 'ab'.repeat(32);
  const reasonOf = async (fileName: string) =>
    (await moderation.moderateUpload({ fileName, sha256 }))?.reason;
  assert.match((await reasonOf('My Sandbox-Rejected (1).PNG')) ?? '', /to try/);
  assert.equal(await reasonOf('a zeppelin.png'), undefined);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slow.png'), 20);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slower.png'), 0);
  const uploads = { rules: [{ reason: 'known', phrases: [], sha256: [sha256] }], slow: [] };
  await writeFile(file, JSON.stringify({ rules: [], uploads }));
  await untilLookedAgain();
  assert.equal(await reasonOf('holiday.png'), 'known');
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slow.png'), 0);
});
