import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const minReasonCharacters = 20;

/**
 * Returns the tables of a schema dump without a column `account_id`. `accounts` is left out, because this column refers
 * to it.
 */
function tablesWithoutAccount(dump: string): string[] {
  return [...dump.matchAll(/^create (?:unlogged )?table (\w+) \(\n(.*?)^\);/gms)]
    .filter(([, name, columns = '']) => name !== 'accounts' && !/^ {2}account_id /m.test(columns))
    .map(([, name = '']) => name)
    .sort();
}

/** Returns the rows of the document's list of tables: part, table, and why the table has no account. */
function readReasons(document: string): { part: string; table: string; reason: string }[] {
  return [...document.matchAll(/^\| (service|studio) \| `(\w+)` \| (.*?) \|$/gm)].map(
    ([, part = '', table = '', reason = '']) => ({ part, table, reason }),
  );
}

for (const part of ['service', 'studio'] as const)
  test(`each table of the ${part} has its account, or docs/scale.md says why not`, async () => {
    const dump = await readFile(path.join(root, part, 'sql/schema.sql'), 'utf8');
    const document = await readFile(path.join(root, 'docs/scale.md'), 'utf8');
    const reasons = readReasons(document).filter((row) => row.part === part);
    assert.deepEqual(
      reasons.map(({ table }) => table),
      tablesWithoutAccount(dump),
      'docs/scale.md lists exactly the tables without account_id, in their order',
    );
    for (const { table, reason } of reasons)
      assert.ok(reason.length >= minReasonCharacters, `${table}: ${reason} is no reason`);
  });

test('a table without an account is found, whatever it is kept as', () => {
  const dump = [
    'create table accounts (\n  id text not null\n);',
    'create table notes (\n  account_id text not null,\n  words text\n);',
    'create unlogged table turns (\n  id text not null,\n  constraint turns_pkey PRIMARY KEY (id)\n);',
    'create table links (\n  id text not null,\n  constraint links_account_id_fkey FOREIGN KEY (id) REFERENCES accounts(id)\n);',
  ].join('\n\n');
  assert.deepEqual(tablesWithoutAccount(dump), ['links', 'turns']);
});
