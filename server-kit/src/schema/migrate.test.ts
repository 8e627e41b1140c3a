import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { until } from '../testing/until.ts';
import { ConfigError } from '../process/config.ts';
import { MigrationMismatch } from './check-release.ts';
import { migrate } from './migrate.ts';
import { textHash } from './read-schema-files.ts';
import { readSchemaState } from './schema-state.ts';
import { connectToMigrate, ordinaryPatience, takeMigrationLock } from './take-migration-lock.ts';

const table = '-- A table.\ncreate table things (id integer primary key, name text);\n';
const answer = (number: number) =>
  `create or replace function answer() returns integer language sql as $$ select ${number} $$;\n`;

describe('bringing a database up to date', () => {
  let db: TestDatabase;
  let folders: string[];
  beforeEach(async () => {
    db = await createTestDatabase('empty', { poolSize: 4 });
    folders = [];
  });
  afterEach(async () => {
    await db[Symbol.asyncDispose]();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  /** Makes a `sql` folder with these files, such as `migrations/001-a.sql` or `functions/answer.sql`. */
  async function sqlFolder(files: Record<string, string>): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-schema-'));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.join(folder, path.dirname(name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    return folder;
  }
  const start = async (release: number, files: Record<string, string>) =>
    migrate({ url: db.url, release, directory: await sqlFolder(files) });
  const answered = async () => (await db.database.rows<{ answer: number }>('select answer()'))[0]?.answer;
  const tables = async () =>
    (
      await db.database.rows<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
          and relname not like 'schema\\_%' order by 1`,
      )
    ).map(({ name }) => name);

  const first = { 'migrations/001-things.sql': table, 'functions/answer.sql': answer(1) };

  const inSteps = {
    'migrations/001-things.sql': table,
    'migrations/002-kinds.sql': "alter table things add column kind text check (kind <> '');\n",
    'online/002-kinds.sql': `-- Why it is done in steps.
-- step: in a transaction
alter table things add column if not exists kind text;
alter table things drop constraint if exists things_kind_check;
alter table things add constraint things_kind_check check (kind <> '') not valid;
-- step: outside of transactions
create index concurrently if not exists things_by_kind on things (kind);
-- step: in a transaction
alter table things validate constraint things_kind_check;
`,
  };

  test('a file of online is applied in the place of its migration, step by step', async () => {
    const { applied } = await start(1, inSteps);
    assert.deepEqual(applied, ['001-things.sql', '002-kinds.sql']);
    const state = await readSchemaState(db.database);
    assert.equal(state.migrations.get('002-kinds.sql'), textHash(inSteps['migrations/002-kinds.sql']));
    const [found] = await db.database.rows<{ index: string | null; valid: boolean }>(
      `select to_regclass('things_by_kind')::text as index, convalidated as valid
         from pg_constraint where conname = 'things_kind_check'`,
    );
    assert.deepEqual(found, { index: 'things_by_kind', valid: true });
    // A database that applied the migration itself counts as up to date, with or without the other steps.
    const { 'online/002-kinds.sql': _, ...plain } = inSteps;
    assert.deepEqual((await start(1, plain)).applied, []);
  });

  test('steps that were cut off are taken again from the first', async () => {
    const broken = inSteps['online/002-kinds.sql'].replace('validate constraint', 'validate no constraint');
    await assert.rejects(
      start(1, { ...inSteps, 'online/002-kinds.sql': broken }),
      /migration 002-kinds\.sql failed/,
    );
    assert.equal((await readSchemaState(db.database)).migrations.has('002-kinds.sql'), false);
    assert.deepEqual((await start(1, inSteps)).applied, ['002-kinds.sql']);
  });

  test('a file of online that takes the place of nothing is refused', async () => {
    const stray = { ...first, 'online/001-thing.sql': inSteps['online/002-kinds.sql'] };
    await assert.rejects(start(1, stray), /online\/001-thing\.sql takes the place of no migration/);
    await assert.rejects(start(1, { ...first, 'online/001-things.sql': table }), /-- step: in a transaction/);
  });

  test('applies what is missing, once', async () => {
    assert.deepEqual(await start(1, first), {
      applied: ['001-things.sql'],
      functions: ['answer'],
      already: 0,
    });
    assert.deepEqual(await start(1, first), { applied: [], functions: [], already: 1 });
    assert.deepEqual([await tables(), await answered()], [['things'], 1]);
  });

  test('applies a function again when its text changed, and only that one', async () => {
    const other = 'create or replace function other() returns integer language sql as $$ select answer() $$;';
    await start(1, { ...first, 'functions/other.sql': other });
    const result = await start(1, {
      ...first,
      'functions/other.sql': other,
      'functions/answer.sql': answer(2),
    });
    assert.deepEqual(result.functions, ['answer']);
    assert.equal(await answered(), 2);
  });

  test('functions may call each other in any order of their names', async () => {
    const calls = 'create or replace function above() returns integer language sql as $$ select answer() $$;';
    await start(1, { ...first, 'functions/above.sql': calls });
    assert.deepEqual(await db.database.rows('select above()'), [{ above: 1 }]);
  });

  test('all functions change, or none', async () => {
    await start(1, first);
    const broken = {
      'functions/answer.sql': answer(2),
      'functions/wrong.sql': 'create or replace function wrong(',
    };
    await assert.rejects(start(1, { ...first, ...broken }), /function wrong could not be made/);
    assert.equal(await answered(), 1);
  });

  test('a migration that was changed is refused', async () => {
    await start(1, first);
    await assert.rejects(
      start(1, { ...first, 'migrations/001-things.sql': `${table}--` }),
      (error) => error instanceof MigrationMismatch && /001-things\.sql was changed/.test(error.message),
    );
  });

  test('a migration that nobody of this release knows is refused', async () => {
    await start(1, { ...first, 'migrations/002-more.sql': '-- release: 1\nselect 1' });
    await assert.rejects(start(1, first), /has migration 002-more\.sql, which this version does not know/);
  });

  describe('an older release on a newer database', () => {
    const second = {
      ...first,
      'migrations/002-more.sql': '-- More.\n-- release: 2\ncreate table more (id integer);\n',
      'functions/answer.sql': answer(2),
    };

    test('starts on that of the next release, and changes nothing', async () => {
      await start(1, first);
      await start(2, second);
      const before = await readSchemaState(db.database);
      assert.deepEqual(await start(1, first), { applied: [], functions: [], already: 1 });
      assert.deepEqual(await readSchemaState(db.database), before);
      assert.deepEqual([await tables(), await answered()], [['more', 'things'], 2]);
    });

    test('is refused by that of the release after next', async () => {
      await start(1, first);
      await start(2, second);
      await start(3, second);
      await assert.rejects(
        start(1, first),
        (error) =>
          error instanceof MigrationMismatch &&
          error.message ===
            'it was prepared by release 3, which needs release 2 or newer beside it, and this is release 1: start a newer version',
      );
      await start(2, second);
      assert.equal(await answered(), 2);
    });

    test('is refused where it has a migration that the newer one passed over', async () => {
      await start(2, second);
      await assert.rejects(
        start(1, { ...first, 'migrations/002-other.sql': 'select 1' }),
        /without migration 002-other\.sql.* not of one line of versions/,
      );
    });

    test('side by side the functions of the newer one stay, whoever starts when', async () => {
      await start(1, first);
      await Promise.all([2, 1, 2, 1, 1, 2].map((release) => start(release, release === 1 ? first : second)));
      assert.equal(await answered(), 2);
    });
  });

  test('many processes at once apply everything once', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => start(1, first)));
    assert.equal(results.flatMap(({ applied }) => applied).length, 1);
    assert.equal(results.flatMap(({ functions }) => functions).length, 1);
  });

  const withIndex = {
    ...first,
    'migrations/002-index.sql':
      '-- Found by name.\n-- release: 1\n-- transaction: none\ncreate index concurrently if not exists things_name on things (name);\n',
  };
  const indexIsValid = async () =>
    (
      await db.database.rows<{ valid: boolean }>(
        `select indisvalid as valid from pg_index where indexrelid = to_regclass('things_name')`,
      )
    )[0]?.valid;

  test('builds an index concurrently, also where several start at once', async () => {
    await start(1, first);
    await Promise.all(Array.from({ length: 4 }, () => start(1, withIndex)));
    assert.equal(await indexIsValid(), true);
  });

  test('builds an index anew whose building was cut off', async () => {
    await start(1, first);
    await db.database.rows(`insert into things values (1, 'same'), (2, 'same')`);
    // Building the index fails and leaves an invalid index, as a killed process would.
    await assert.rejects(db.database.rows('create unique index concurrently things_name on things (name)'));
    assert.equal(await indexIsValid(), false);
    await start(1, withIndex);
    assert.equal(await indexIsValid(), true);
  });

  test('an index that is built concurrently waits for others for a while only, and comes again', async () => {
    await start(1, first);
    const holder = await db.database.pool.connect();
    try {
      // Building the index waits for the reader of this snapshot: here longer than its time-out.
      await holder.query('begin isolation level repeatable read');
      await holder.query('select * from things');
      const building = migrate({
        url: db.url,
        directory: await sqlFolder(withIndex),
        release: 1,
        buildLockTimeoutMs: 100,
      });
      const outcome = building.then(() => 'built', String);
      const givenUp = async () => (await indexIsValid()) === false && (await waitsForNobody());
      while (!(await givenUp())) await sleep(5);
      await holder.query('commit');
      assert.equal(await outcome, 'built');
      assert.equal(await indexIsValid(), true);
    } finally {
      holder.release();
    }
  });

  /** Returns whether no migration waits for a lock at this moment. */
  const waitsForNobody = async () =>
    (
      await db.database.rows(
        `select from pg_stat_activity
          where application_name = 'migrate' and datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length === 0;

  test('steps aside where a lock is held, lets others pass and comes again', async () => {
    await start(1, first);
    const holder = await db.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select * from things');
      const changing = start(1, {
        ...first,
        'migrations/002-column.sql': '-- release: 1\nalter table things add column size integer;\n',
      });
      // If the change kept its place in the queue, a reader that arrives now would wait behind it forever.
      for (let n = 0; n < 4; n++) {
        await sleep(100);
        await db.database.rows('select count(*) from things');
      }
      await holder.query('commit');
      assert.deepEqual((await changing).applied, ['002-column.sql']);
    } finally {
      holder.release();
    }
  });

  test('waits for a vacuum of a table that it alters, while others read and write it', async () => {
    await start(1, first);
    const holder = await db.database.pool.connect();
    try {
      await holder.query('begin');
      // Like an autovacuum, which keeps this lock until another session has waited for a second.
      await holder.query('lock table things in share update exclusive mode');
      const changing = start(1, {
        ...first,
        'migrations/002-column.sql': '-- release: 1\nalter table things add column size integer;\n',
      });
      await untilWaiting('ShareUpdateExclusiveLock');
      await db.database.rows("insert into things values (1, 'while it waits')");
      assert.equal((await db.database.rows('select from things')).length, 1);
      await holder.query('commit');
      assert.deepEqual((await changing).applied, ['002-column.sql']);
    } finally {
      holder.release();
    }
  });

  const untilWaiting = (mode: string) =>
    until(
      `a wait for a ${mode}`,
      () =>
        db.database.rows(
          `select from pg_locks join pg_database d on d.oid = database
            where mode = $1 and not granted and d.datname = current_database()`,
          [mode],
        ),
      { isSo: (waiting) => waiting.length > 0, withinMs: 20_000 },
    );

  /** Acts as another process that prepares the database and never ends. */
  const holdMigrationLock = async () => {
    const holder = await connectToMigrate(db.url);
    await takeMigrationLock(holder, ordinaryPatience);
    return { end: () => holder.end() };
  };

  test('waits for another process with a word, and gives up with a sentence that names it', async () => {
    const holder = await holdMigrationLock();
    const told: string[] = [];
    const patience = { tellAfterMs: 200, giveUpAfterMs: 1_000, tell: (line: string) => void told.push(line) };
    const directory = await sqlFolder(first);
    await assert.rejects(migrate({ url: db.url, directory, patience }), (error) => {
      assert.ok(error instanceof ConfigError);
      return /another process.* did not come to an end.*pg_terminate_backend\(\d+\)/.test(error.message);
    });
    assert.equal(told.length, 1);
    assert.match(
      told[0] ?? '',
      /^Waiting for another process.*process \d+ of PostgreSQL, there since 2.* UTC/,
    );
    const waiting = migrate({ url: db.url, directory, patience: { ...patience, giveUpAfterMs: 60_000 } });
    await holder.end();
    assert.deepEqual((await waiting).applied, ['001-things.sql']);
  });

  test('a signal ends the wait for another process', async () => {
    const holder = await holdMigrationLock();
    const stopping = new AbortController();
    const waiting = migrate({ url: db.url, directory: await sqlFolder(first), signal: stopping.signal });
    stopping.abort(new Error('the stack is stopping'));
    await assert.rejects(waiting, /the stack is stopping/);
    await holder.end();
  });

  test('a connection that is lost while it waits is a rejection and not the end of the process', async () => {
    const holder = await holdMigrationLock();
    const waiting = assert.rejects(migrate({ url: db.url, directory: await sqlFolder(first) }));
    const ended = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'migrate' and datname = current_database()
        and not exists (select from pg_locks l where l.pid = pg_stat_activity.pid and l.locktype = 'advisory')`;
    while ((await db.database.rows(ended)).length === 0) await sleep(10);
    await waiting;
    await holder.end();
  });
});
