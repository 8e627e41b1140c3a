import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSources } from './check-sources.ts';

const messagesOf = (path: string, ...lines: string[]) =>
  checkSources([{ path, text: `${lines.join('\n')}\n`, imports: [] }]).map(({ message }) => message);
/** First line for tests with a single file, whose function no other file calls. */
const kept = '-- What comes of it: what the release before calls.';
const body = 'returns integer language sql as $$ select 1 $$;';

test('a file of sql/functions holds the one function that it is named after', () => {
  const file = 'service/sql/functions/claim_generations.sql';
  assert.deepEqual(messagesOf(file, kept, `create or replace function claim_generations() ${body}`), []);
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

test('a function that nothing calls says that the release before does, and one that is called does not', () => {
  const file = 'studio/sql/functions/charge.sql';
  const other = 'studio/sql/functions/refund.sql';
  const charge = `create or replace function charge() ${body}\n`;
  const refund = `create or replace function refund() returns integer language sql as $$ select charge() $$;\n`;
  const issuesOf = (head: string, ...callers: [path: string, text: string][]) =>
    checkSources(
      [[file, `${head}\n${charge}`] as const, ...callers].map(([path, text]) => ({
        path,
        text,
        imports: [],
      })),
    )
      .filter(({ path }) => path === file)
      .map(({ message }) => message);
  assert.match(issuesOf('-- Why.')[0] ?? '', /called by nothing here/);
  assert.deepEqual(issuesOf(kept), []);
  for (const caller of [
    ['studio/src/credits/store.ts', "'select charge($1)'"],
    ['studio/sql/schema.sql', 'CREATE TRIGGER one AFTER INSERT ON renders EXECUTE FUNCTION charge();'],
    [other, refund],
  ] as [string, string][]) {
    assert.deepEqual(issuesOf('-- Why.', caller), [], caller[0]);
    assert.match(issuesOf(kept, caller)[0] ?? '', /release before calls it, and studio/, caller[0]);
  }
  for (const caller of [
    ['studio/src/credits/store.test.ts', "'select charge($1)'"],
    ['service/src/credits/store.ts', "'select charge($1)'"],
    ['studio/sql/migrations/010-things.sql', '-- release: 2\nselect charge();'],
    [other, `${kept}\n${refund}`],
    [other, `-- As charge() does.\ncreate or replace function refund() ${body}\n`],
  ] as [string, string][])
    assert.match(issuesOf('-- Why.', caller)[0] ?? '', /called by nothing here/, caller[0]);
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

test('a migration holds no lock while it reads a table that was there', () => {
  const file = 'studio/sql/migrations/036-things.sql';
  for (const change of [
    'create index renders_new on renders (id);',
    "alter table renders add column sort text check (sort <> '');",
    'alter table renders add column friend text references renders;',
    "alter table renders add constraint sort check (sort <> '');",
    "alter table renders add column sort text; update renders set sort = 'x';",
  ]) {
    assert.match(messagesOf(file, '-- release: 2', change)[0] ?? '', /reads all of renders/, change);
    const online = { path: 'studio/sql/online/036-things.sql', text: '', imports: [] };
    const text = `-- release: 2\n${change}\n`;
    assert.deepEqual(checkSources([{ path: file, text, imports: [] }, online]), [], change);
  }
  for (const change of [
    'create index concurrently renders_new on renders (id);',
    'create table things (id text); create index things_new on things (id);',
    "alter table renders add column sort text default 'x';",
    "alter table renders add constraint sort check (sort <> '') not valid;",
  ])
    assert.deepEqual(messagesOf(file, '-- release: 2', change), [], change);
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
