import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSources } from './check-sources.ts';

const messagesOf = (path: string, ...lines: string[]) =>
  checkSources([{ path, text: `${lines.join('\n')}\n`, imports: [] }]).map(({ message }) => message);
const body = 'returns integer language sql as $$ select 1 $$;';

test('a file of sql/functions holds the one function that it is named after', () => {
  const file = 'service/sql/functions/claim_generations.sql';
  assert.deepEqual(messagesOf(file, '-- Why.', `create or replace function claim_generations() ${body}`), []);
  assert.match(messagesOf(file, `create or replace function other() ${body}`)[0] ?? '', /nothing else/);
  assert.match(
    messagesOf(
      file,
      ...['claim_generations', 'other'].map((name) => `create or replace function ${name}() ${body}`),
    )[0] ?? '',
    /nothing else/,
  );
  assert.match(messagesOf(file, `create function claim_generations() ${body}`)[0] ?? '', /create or replace/);
});

test('no function in SQL is over 120 lines', () => {
  const lines = Array.from({ length: 120 }, () => '-- one');
  assert.match(
    messagesOf(
      'studio/sql/functions/charge.sql',
      ...lines,
      `create or replace function charge() ${body}`,
    )[0] ?? '',
    /121 lines/,
  );
});

test('a migration names its release and makes no function', () => {
  const file = 'service/sql/migrations/018-things.sql';
  assert.deepEqual(messagesOf(file, '-- Things.', '-- release: 1', 'create table things (id text);'), []);
  assert.match(messagesOf(file, 'create table things (id text);')[0] ?? '', /which release/);
  assert.match(
    messagesOf(file, '-- release: 1', `create function f() ${body}`)[0] ?? '',
    /sql\/functions alone/,
  );
  assert.deepEqual(
    messagesOf('service/sql/migrations/017-kept-plans.sql', `create function f() ${body}`),
    [],
  );
});

test('a migration that takes something away says since when nothing uses it', () => {
  const file = 'studio/sql/migrations/010-things.sql';
  for (const change of [
    'alter table renders drop column lane;',
    'alter table renders rename column lane to queue;',
    'alter table renders alter column lane set not null;',
    'drop table renders;',
    'alter table renders alter column lane type integer;',
  ]) {
    assert.match(messagesOf(file, '-- release: 2', change)[0] ?? '', /takes something away/, change);
    assert.deepEqual(
      messagesOf(file, '-- release: 2', '-- contracts: release 1 was the last to read it.', change),
      [],
    );
  }
  assert.deepEqual(messagesOf(file, '-- release: 2', 'alter table renders add column size integer;'), []);
});
