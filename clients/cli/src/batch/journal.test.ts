import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Journal } from './journal.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'renderkit-journal-'));
});
after(() => rmSync(folder, { recursive: true }));

const sent = { type: 'sent', row: 'r', attempt: 1, request: { prompt: 'a' }, credits: 4, at: '' } as const;

test('a journal that a crash cut off in a line goes on, under the same keys', () => {
  const file = path.join(folder, 'cut.jsonl');
  const key = (() => {
    using journal = Journal.open(file, 'make');
    journal.append(sent);
    return journal.keyOf('r', 1);
  })();
  appendFileSync(file, '{"type":"created","row":"r","att');
  {
    using journal = Journal.open(file, 'make');
    assert.deepEqual(journal.stateOf('r'), { sent });
    journal.append({ type: 'created', row: 'r', attempt: 1, generation: 'gen_1' });
  }
  using journal = Journal.open(file, 'make');
  assert.equal(journal.stateOf('r')?.generation, 'gen_1');
  assert.equal(journal.keyOf('r', 1), key);
  assert.notEqual(journal.keyOf('r', 2), key);
});

test('whoever looks sees the same keys, and what is told of an earlier try changes nothing', () => {
  const file = path.join(folder, 'shared.jsonl');
  using one = Journal.open(file, 'make');
  using other = Journal.open(file, 'look');
  assert.equal(one.keyOf('r', 1), other.keyOf('r', 1));
  one.append(sent);
  one.append({ ...sent, attempt: 2 });
  one.append({ type: 'created', row: 'r', attempt: 1, generation: 'gen_old' });
  assert.deepEqual(one.stateOf('r'), { sent: { ...sent, attempt: 2 } });
  assert.equal(readFileSync(file, 'utf8').split('\n').length, 5);
});

test('one process makes the rows, and what a killed one has left is taken over', () => {
  const file = path.join(folder, 'locked.jsonl');
  {
    using _journal = Journal.open(file, 'make');
    assert.throws(() => Journal.open(file, 'make'), /under way, process \d+/);
    Journal.open(file, 'look')[Symbol.dispose]();
  }
  // No process has this number on Linux, where the largest is 4194304.
  writeFileSync(`${file}.lock`, '4194305');
  using _next = Journal.open(file, 'make');
  assert.equal(readFileSync(`${file}.lock`, 'utf8'), String(process.pid));
});

test('a batch goes on with the account that it was begun with alone', () => {
  const file = path.join(folder, 'account.jsonl');
  {
    using journal = Journal.open(file, 'make');
    journal.checkAccount('acc_1');
    journal.append(sent);
  }
  {
    using journal = Journal.open(file, 'make');
    assert.throws(() => journal.checkAccount('acc_2'), { code: 'other_account' });
    journal.checkAccount('acc_1');
    assert.deepEqual(journal.stateOf('r'), { sent });
  }
  // A journal of an earlier version has no account. The first account that comes does not become its account.
  const older = path.join(folder, 'older.jsonl');
  for (const account of [undefined, 'acc_2', 'acc_1']) {
    using journal = Journal.open(older, 'make');
    if (account === undefined) journal.append(sent);
    else journal.checkAccount(account);
  }
});

test('a file that is no journal is left alone', () => {
  const file = path.join(folder, 'other.jsonl');
  writeFileSync(file, '{"prompt":"a"}\n');
  assert.throws(() => Journal.open(file, 'make'), /no journal/);
  assert.equal(readFileSync(file, 'utf8'), '{"prompt":"a"}\n');
});
