import assert from 'node:assert/strict';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '@renderkit/server-kit/files/durable-files.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type Moderation, openStudioRules, openWorkerRules } from './moderation.ts';
import { RulesInvalid } from './parse-rules.ts';
import { putRules } from './put-rules.ts';

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

/** Opens a studio's rules. The database has no rules before, unless `again` is set. */
async function open(t: TestContext, file: string, { again = false } = {}): Promise<Moderation> {
  if (!again) await db.database.rows(`delete from settings where name like 'moderation%'`);
  const studio = await openStudioRules({ path: file, database: db.database, log });
  t.after(() => studio[Symbol.dispose]());
  return studio;
}

function openWorker(file: string): Promise<Moderation> {
  return openWorkerRules({ path: file, database: db.database, log });
}

const put = (phrase: string, isDataFile = false) =>
  putRules(db.database, oneRule(phrase), { by: 'operator', isDataFile });
const said = (words: string) => lines.some((line) => line.includes(words));

const oneRule = (phrase: string) => JSON.stringify({ rules: [{ reason: phrase, phrases: [phrase] }] });
const untilLookedAgain = () => sleep(1_100);

async function untilRefused(moderation: Moderation, text: string, reason: string): Promise<void> {
  await until(reason, async () => (await moderation.moderateText(text))?.reason === reason);
}

test('phrases are found however they are spelt, and only as whole words', async (t) => {
  const file = await newFile(t);
  const moderation = await open(t, file);
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
  const moderation = await open(t, file);
  assert.match(await readFile(file, 'utf8'), /"rules"/);
  assert.equal(await moderation.moderateText('a zeppelin'), undefined);
  await writeFile(file, JSON.stringify({ rules: [{ reason: 'airships', phrases: ['zeppelin'] }] }));
  await untilRefused(moderation, 'a Zeppelin', 'airships');
  await replaceFile(file, '{"rules": 5}');
  const errors = () => lines.filter((line) => line.includes('those read before stay in force'));
  while (errors().length === 0) await sleep(50);
  assert.equal((await moderation.moderateText('a zeppelin'))?.reason, 'airships');
  assert.equal(errors().length, 1);
  assert.match(errors()[0] ?? '', /rules must be a list/);
  // The same error is not logged at each check, and the defaults do not apply when the file is gone.
  await rm(file);
  await untilLookedAgain();
  assert.equal((await moderation.moderateText('a zeppelin'))?.reason, 'airships');
  assert.equal(errors().length, 1);
  await writeFile(file, oneRule('balloon'));
  await untilRefused(moderation, 'a balloon', 'balloon');
  assert.equal(await moderation.moderateText('a zeppelin'), undefined);
});

test('a first start refuses a file that is broken in one sentence, and leaves it as it was', async (t) => {
  const file = await newFile(t);
  const broken = '{\n  "rules": [\n    {"reason": "a", "phrases": ["b"]},\n  ]\n}\n';
  await writeFile(file, broken);
  await assert.rejects(
    open(t, file),
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
  await assert.rejects(open(t, file), /cannot be used \(it is no file\): mend/);
});

test('a file that breaks before a later start leaves the rules in force, until it is mended', async (t) => {
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  await open(t, file);
  await writeFile(file, '{"rules": [}');
  const linesBefore = lines.length;
  const again = await open(t, file, { again: true });
  for (const one of [again, await openWorker(file)])
    assert.equal((await one.moderateText('a zeppelin'))?.reason, 'zeppelin');
  const told = lines.slice(linesBefore).filter((line) => line.includes('stay in force'));
  assert.equal(told.length, 2, told.join());
  assert.match(told[0] ?? '', /line 1 is no JSON/);
  assert.equal(await readFile(file, 'utf8'), '{"rules": [}', 'it is left as it was');
  await writeFile(file, oneRule('balloon'));
  await untilRefused(again, 'a balloon', 'balloon');
  assert.equal(await again.moderateText('a zeppelin'), undefined);
});

test('a file that is being written when a start reads it is read again', async (t) => {
  const file = await newFile(t);
  const text = oneRule('zeppelin');
  await writeFile(file, text.slice(0, 20));
  const opening = open(t, file);
  await sleep(100);
  await writeFile(file, text);
  assert.equal((await (await opening).moderateText('a zeppelin'))?.reason, 'zeppelin');
});

test('a file that is gone at a later start is made again from the rules in force', async (t) => {
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  const studio = await open(t, file);
  await writeFile(file, oneRule('balloon'));
  await untilRefused(studio, 'a balloon', 'balloon');
  await rm(file);
  const again = await open(t, file, { again: true });
  assert.equal((await again.moderateText('a balloon'))?.reason, 'balloon');
  assert.equal(await readFile(file, 'utf8'), oneRule('balloon'));
  assert.ok(said('made again from the rules in force'));
});

test('a worker has the rules of the database, whatever lies in its own directory, and learns of others', async (t) => {
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  const elsewhere = await newFile(t);
  await writeFile(elsewhere, oneRule('dirigible'));
  await open(t, file);
  const worker = await openWorker(elsewhere);
  assert.equal(await worker.moderateText('a dirigible'), undefined);
  assert.equal((await worker.moderateText('a zeppelin'))?.reason, 'zeppelin');
  const without = await openWorker(await newFile(t));
  // The studio gets no requests, but checks its file by itself.
  await writeFile(file, oneRule('balloon'));
  for (const one of [worker, without]) await untilRefused(one, 'a balloon', 'balloon');
});

test("a worker's own file, or the product's rules, count until a studio has put rules into the database", async (t) => {
  await db.database.rows(`delete from settings where name like 'moderation%'`);
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  assert.equal((await (await openWorker(file)).moderateText('a zeppelin'))?.reason, 'zeppelin');
  const bare = await openWorker(await newFile(t));
  assert.notEqual(await bare.moderateText('a bomb recipe'), undefined);
  await writeFile(file, '{"rules": 5}');
  await assert.rejects(openWorker(file), ConfigError);
});

test('rules that a command has put in force stay until a command takes them back', async (t) => {
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  const studio = await open(t, file);
  const reasonOf = async (text: string) => (await studio.moderateText(text))?.reason;
  assert.equal(await put('balloon'), 'applied');
  await untilRefused(studio, 'a balloon', 'balloon');
  assert.equal(await reasonOf('a zeppelin'), undefined);
  await writeFile(file, oneRule('dirigible'));
  while (!said('`moderation apply` puts it in force')) await sleep(50);
  await untilLookedAgain();
  assert.equal(await reasonOf('a dirigible'), undefined);
  const again = await open(t, file, { again: true });
  assert.equal(await again.moderateText('a dirigible'), undefined);
  // Another studio copies the rules in force into its file, which changes nothing.
  await open(t, await newFile(t), { again: true });
  await writeFile(file, oneRule('airship'));
  await untilLookedAgain();
  assert.equal(await reasonOf('an airship'), undefined);
  // The command with this file: afterwards, changes of the file apply again.
  assert.equal(await put('airship', true), 'applied');
  assert.equal(await put('airship', true), 'unchanged');
  await writeFile(file, oneRule('kite'));
  await untilRefused(studio, 'a kite', 'kite');
  await assert.rejects(putRules(db.database, '{"rules": 5}', { by: 'operator' }), RulesInvalid);
  const acts = await db.database.rows<{ actor: string; after: { rules: number } }>(
    `select actor, after from admin_audit where action = 'moderation.applied' order by at desc, id desc limit 2`,
  );
  assert.deepEqual(
    acts.map(({ actor, after: { rules } }) => [actor, rules]),
    [
      ['file', 1],
      ['operator', 1],
    ],
  );
});

test("an old copy in another studio's directory does not bring old rules back", async (t) => {
  const [file, elsewhere] = [await newFile(t), await newFile(t)];
  await writeFile(file, oneRule('zeppelin'));
  await copyFile(file, elsewhere);
  const yesterday = new Date(Date.now() - 86_400_000);
  await utimes(elsewhere, yesterday, yesterday);
  const studio = await open(t, file);
  await writeFile(file, oneRule('balloon'));
  await untilRefused(studio, 'a balloon', 'balloon');
  const other = await open(t, elsewhere, { again: true });
  assert.equal((await other.moderateText('a balloon'))?.reason, 'balloon');
  assert.equal(await other.moderateText('a zeppelin'), undefined);
  // The file is not applied either when only its times change, or when it could not be read for a while.
  await chmod(elsewhere, 0o640);
  await untilLookedAgain();
  assert.equal(await other.moderateText('a zeppelin'), undefined);
});

test('a file that was never applied counts at a start, however old it says it is', async (t) => {
  const [file, prepared] = [await newFile(t), await newFile(t)];
  await writeFile(prepared, oneRule('zeppelin'));
  const yesterday = new Date(Date.now() - 86_400_000);
  await utimes(prepared, yesterday, yesterday);
  await open(t, file);
  await rename(prepared, file);
  const again = await open(t, file, { again: true });
  assert.equal((await again.moderateText('a zeppelin'))?.reason, 'zeppelin');
});

test('rules of another release that this one does not understand stop a start, and are replaced by a command', async (t) => {
  const file = await newFile(t);
  await writeFile(file, oneRule('zeppelin'));
  await open(t, file);
  await db.database.rows(
    `update settings set value = to_jsonb('{"later": 1}'::text) where name = 'moderation_rules'`,
  );
  await assert.rejects(openWorker(await newFile(t)), /put others in force with `operator moderation apply`/);
  assert.equal(await put('balloon'), 'applied');
  assert.equal((await (await openWorker(await newFile(t))).moderateText('a balloon'))?.reason, 'balloon');
});

test('studios that make the file at the same moment read the same', async (t) => {
  const file = await newFile(t);
  await db.database.rows(`delete from settings where name like 'moderation%'`);
  await Promise.all(Array.from({ length: 8 }, () => open(t, file, { again: true })));
  const names = await readdir(path.dirname(file));
  assert.deepEqual(names, ['moderation.json']);
});

test('the folder of the file stays as open as it was', { skip: process.platform === 'win32' }, async (t) => {
  const file = await newFile(t);
  // The mode for the account of the built-in PostgreSQL, whose checkpoints would fail without access.
  await chmod(path.dirname(file), 0o711);
  await open(t, file);
  assert.equal((await stat(path.dirname(file))).mode & 0o777, 0o711);
});

test('the file is for its owner alone', { skip: process.platform === 'win32' }, async (t) => {
  const file = await newFile(t);
  await open(t, file);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await chmod(file, 0o644);
  await open(t, file);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('uploads are checked by their names and their bytes, and some are put off', async (t) => {
  const file = await newFile(t);
  // A file of a release without upload rules.
  await writeFile(file, JSON.stringify({ rules: [{ reason: 'airships', phrases: ['zeppelin'] }] }));
  const moderation = await open(t, file);
  const sha256 = 'ab'.repeat(32);
  const reasonOf = async (fileName: string) =>
    (await moderation.moderateUpload({ fileName, sha256 }))?.reason;
  assert.match((await reasonOf('My Sandbox-Rejected (1).PNG')) ?? '', /to try/);
  assert.equal(await reasonOf('a zeppelin.png'), undefined);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slow.png'), 20);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slower.png'), 0);
  const uploads = { rules: [{ reason: 'known', phrases: [], sha256: [sha256] }], slow: [] };
  await writeFile(file, JSON.stringify({ rules: [], uploads }));
  while ((await reasonOf('holiday.png')) !== 'known') await sleep(50);
  assert.equal(await moderation.uploadDelaySeconds('sandbox-slow.png'), 0);
});
