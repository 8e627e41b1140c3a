import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Change } from '@renderkit/contract/studio/changes.ts';
import { createNotifier } from '@renderkit/server-kit/db/notify.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { deleteOldChanges } from '@renderkit/studio/changes/queries.ts';
import { changesChannel } from '@renderkit/studio/channels.ts';
import type { Static } from 'typebox';
import { readChanges, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => studio[Symbol.asyncDispose]());

type Seen = Static<typeof Change>;

test('eight writers with delayed commits lose no change to a reader', async () => {
  const accounts: string[] = [];
  for (let i = 0; i < 3; i++) accounts.push((await studio.connect()).id);
  const perWriter = 40;
  let writing = true;
  const writers = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; i < perWriter; i++)
        await studio.database.transaction(async (transaction) => {
          const account = accounts[(writer + i) % accounts.length];
          await transaction.execute(`select record_change($1, 'render', $2, null)`, [
            account,
            `${writer}-${i}`,
          ]);
          await transaction.execute('select pg_sleep(random() * 0.01)');
        });
    }),
  ).then(() => (writing = false));
  const seen = new Map<string, Seen[]>(accounts.map((id) => [id, []]));
  const cursors = new Map(accounts.map((id) => [id, 0]));
  for (let round = 0; round < 2_000; round++) {
    const last = !writing;
    const moved = await readChanges(
      studio.url,
      [...cursors].map(([account, cursor]) => ({ account, cursor })),
    );
    for (const entry of moved) {
      assert.ok(entry.status === 'changes');
      seen.get(entry.account)?.push(...entry.changes);
      cursors.set(entry.account, entry.cursor);
    }
    if (last && moved.length === 0) break;
  }
  await writers;
  const all = [...seen.values()].flat();
  assert.equal(all.length, 8 * perWriter);
  assert.equal(new Set(all.map(({ token }) => token)).size, 8 * perWriter);
  for (const changes of seen.values())
    assert.deepEqual(
      changes.map(({ seq }) => seq),
      changes.map((_, i) => i + 1),
    );
});

test('a waiting poll is woken by a change within moments, and answers nothing when its time is up', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const quiet = await studio.connect();
  const watch = (wait: number) =>
    readChanges(
      studio.url,
      [account, quiet].map(({ id }) => ({ account: id, cursor: 0 })),
      wait,
    );
  const began = performance.now();
  assert.deepEqual(await watch(1), []);
  assert.ok(performance.now() - began >= 950);
  const poll = watch(20).then((moved) => ({ moved, at: performance.now() }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await account.submit('wake');
  const submitted = performance.now();
  const { moved, at } = await poll;
  assert.ok(at - submitted < 500, `${at - submitted} ms`);
  assert.deepEqual(
    moved.map(({ account: id }) => id),
    [account.id],
  );
});

test('word from another process wakes a poll, and without word it finds out within a second or so', async () => {
  const account = await studio.connect();
  const change = () => studio.database.rows(`select record_change($1, 'render', 't', null)`, [account.id]);
  const poll = async (cursor: number) => {
    const began = performance.now();
    const [moved] = await readChanges(studio.url, [{ account: account.id, cursor }], 10);
    assert.equal(moved?.status, 'changes');
    return performance.now() - began;
  };
  const log = createLogger({ part: 'test', level: 'silent' });
  await using other = createNotifier({ database: studio.database, channel: changesChannel, log });
  const first = poll(0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await change();
  other.announce(account.id);
  assert.ok((await first) < 800);
  const second = poll(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await change();
  assert.ok((await second) < 2_000);
});

test('a cursor that is too old, or that was never reached, is reset', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const account = await studio.connect();
  for (let i = 0; i < 5; i++)
    await studio.database.rows(`select record_change($1, 'render', 't', null)`, [account.id]);
  const read = async (cursor: number) =>
    (await readChanges(studio.url, [{ account: account.id, cursor }]))[0];
  assert.deepEqual(await read(9), { account: account.id, status: 'reset', cursor: 5 });
  await moveClock(studio.database, 31 * 86_400);
  await studio.database.rows(`select record_change($1, 'render', 'new', null)`, [account.id]);
  assert.ok((await deleteOldChanges(studio.database, 30, 3)) >= 3);
  for (let i = 0; i < 200; i++) if ((await deleteOldChanges(studio.database, 30, 1_000)) === 0) break;
  assert.deepEqual(await read(2), { account: account.id, status: 'reset', cursor: 6 });
  const fresh = await read(5);
  assert.deepEqual(fresh?.status === 'changes' && fresh.changes.map(({ token }) => token), ['new']);
});

test('two hundred changes come at a time, and an unknown account has ended', async () => {
  const account = await studio.connect();
  await studio.database.rows(
    `select record_change($1, 'render', 't' || n, null) from generate_series(1, 450) as n`,
    [account.id],
  );
  const sizes = [];
  let cursor = 0;
  for (let i = 0; i < 5; i++) {
    const [moved] = await readChanges(studio.url, [{ account: account.id, cursor }]);
    if (moved?.status !== 'changes') break;
    sizes.push(moved.changes.length);
    ({ cursor } = moved);
  }
  assert.deepEqual(sizes, [200, 200, 50]);
  assert.deepEqual(await readChanges(studio.url, [{ account: 'acc_none', cursor: 0 }]), [
    { account: 'acc_none', status: 'ended' },
  ]);
});

test('five thousand accounts are watched in one call', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await studio.database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at,
       limit_image, limit_edit, limit_video, limit_overall)
     select 'acc_many' || n, 'free', 0, clock(), clock(), clock() + interval '1 month', 1, 1, 1, 1
     from generate_series(1, 4999) as n`,
  );
  await studio.database.rows(
    `insert into oidc_payloads (model, id, payload, account_id, client_id, expires_at)
     select 'Grant', 'grant' || n, '{}', 'acc_many' || n, 'renderkit-service', clock() + interval '1 year'
     from generate_series(1, 4999) as n`,
  );
  const accounts = [
    { account: account.id, cursor: 0 },
    ...Array.from({ length: 4_999 }, (_, i) => ({ account: `acc_many${i + 1}`, cursor: 0 })),
  ];
  const poll = readChanges(studio.url, accounts, 20);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await account.submit('one of many');
  const moved = await poll;
  assert.deepEqual(
    moved.map(({ account: id, status }) => [id, status]),
    [[account.id, 'changes']],
  );
});
