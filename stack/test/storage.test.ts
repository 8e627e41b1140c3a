import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);
const megabyte = 1024 * 1024;

let typed: TestOperator;
before(async () => {
  typed = await openTestOperator();
});
after(() => typed[Symbol.asyncDispose]());

const operator = async (...argv: string[]) => (await typed.type(...argv)).text;
const storageAfter = async (...argv: string[]) =>
  (await typed.run<{ storage: object }>(...argv)).data.storage;

test("an operator sees what an account stores, and sets its limit before the plan's and back", async () => {
  const email = 'ada@example.org';
  await operator('account', 'create', '--email', email);
  await writeFile(path.join(typed.directory, 'pixel.png'), pixel);
  await operator('library', 'add', '--email', email, '--file', 'pixel.png');
  const used = { used_bytes: pixel.length, uploads_bytes: 0, outputs_bytes: pixel.length };
  const ofThePlan = { ...used, limit_bytes: 2_048 * megabyte, limit_from: 'plan' };
  assert.deepEqual(await storageAfter('account', 'show', '--email', email), ofThePlan);

  const set = (value: string) => storageAfter('account', 'set', '--email', email, '--storage-mb', value);
  assert.deepEqual(await set('300'), { ...used, limit_bytes: 300 * megabyte, limit_from: 'operator' });
  await operator('account', 'set', '--email', email, '--tier', 'pro');
  assert.deepEqual(await storageAfter('account', 'show', '--email', email), {
    ...used,
    limit_bytes: 300 * megabyte,
    limit_from: 'operator',
  });
  assert.match(
    await operator('account', 'show', '--email', email),
    /^storage +0\.0 of 300\.0 MB \(uploads 0\.0, outputs 0\.0; the limit is the operator's\)$/m,
  );
  assert.deepEqual(await set('plan'), { ...used, limit_bytes: 256_000 * megabyte, limit_from: 'plan' });
  for (const wrong of ['-1', '1.5', 'all', ''])
    await assert.rejects(
      set(wrong),
      /--storage-mb is .* must be a whole number of MB from 0|needs|ambiguous/,
    );
});
