import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, moveClock } from '@renderkit/server-kit/testing/database.ts';
import { createRandom } from '@renderkit/server-kit/testing/random.ts';
import { claimRender } from '@renderkit/studio/backends/claim-queries.ts';
import { queueReasons, whyWaiting } from '@renderkit/studio/backends/waiting-queries.ts';
import { insertAccount, insertBackend, insertFits, insertModel, insertRender } from './claim-rows.ts';

async function open(): Promise<AsyncDisposable & { database: Database }> {
  const opened = await createTestDatabase('studio');
  await insertAccount(opened.database, 'acc');
  await opened.database.rows(`insert into workers (id, beat_at) values ('wrk', clock())`);
  return opened;
}

async function reasonsOf(database: Database, render: string): Promise<[string | null, string][]> {
  return (await whyWaiting(database, render)).map(({ backend, reason }) => [backend, reason]);
}

async function wordOf(database: Database, render: string): Promise<string | null | undefined> {
  return (await queueReasons(database, [render])).get(render);
}

function claim(database: Database, backend: string) {
  return claimRender(database, { backend, worker: 'wrk', leaseMs: 30_000, lanes: null });
}

test('a render that waits says what keeps each backend from it, by the state of the backend', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{ backends: ['gpu'] }]);
  await insertRender(database, 'r', 'flux');
  assert.deepEqual(await reasonsOf(database, 'r'), [[null, 'no_backend']]);
  await insertBackend(database, 'gpu1', { labels: ['gpu'] });
  assert.deepEqual(await reasonsOf(database, 'r'), [['gpu1', 'unchecked']]);
  await insertFits(database, 'gpu1', 'flux');
  assert.deepEqual(await reasonsOf(database, 'r'), [['gpu1', 'next']]);
  assert.equal(await wordOf(database, 'r'), null);
  const states: [change: string, reason: string, word: string][] = [
    [`wanted = 'off'`, 'off', 'engine_down'],
    [`wanted = 'draining'`, 'draining', 'engine_down'],
    [`wanted = 'on', up = false, reason = 'gpu1 is out of reach.'`, 'down', 'engine_down'],
    [
      `up = true, closed_until = clock() + interval '1 minute', closed_since = clock()`,
      'resting',
      'engine_down',
    ],
  ];
  for (const [change, reason, word] of states) {
    await database.rows(`update backends set ${change} where name = 'gpu1'`);
    assert.deepEqual(await reasonsOf(database, 'r'), [['gpu1', reason]]);
    assert.equal(await wordOf(database, 'r'), word);
  }
  const [resting] = await whyWaiting(database, 'r');
  assert.equal(resting?.detail, 'gpu1 is out of reach.');
  assert.ok(resting.since !== null && resting.until !== null && resting.until > resting.since);
  await database.rows(`update backends set closed_until = null where name = 'gpu1'`);
  await database.rows(
    `update route_fits set fits = false, problems = '[{"code":"node_missing","message":"It lacks a node."}]'`,
  );
  assert.deepEqual(await reasonsOf(database, 'r'), [['gpu1', 'unfit']]);
  assert.equal((await whyWaiting(database, 'r'))[0]?.detail, 'It lacks a node.');
});

test('a busy backend is told from a fair share that is used up, and from workers that are gone', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{ backends: ['gpu1'] }]);
  await insertBackend(database, 'gpu1');
  await insertFits(database, 'gpu1', 'flux');
  for (const id of ['first', 'second']) await insertRender(database, id, 'flux', { waited: 2 });
  await insertRender(database, 'of a busy account', 'flux', { waited: 1, turn: -60 });
  assert.ok(await claim(database, 'gpu1'));
  assert.deepEqual(await reasonsOf(database, 'second'), [['gpu1', 'busy']]);
  const words = await queueReasons(database, ['first', 'second', 'of a busy account']);
  assert.deepEqual(
    ['first', 'second', 'of a busy account'].map((id) => words.get(id)),
    [null, 'engine_busy', 'fair_share'],
  );
  assert.deepEqual(await reasonsOf(database, 'first'), [], 'it runs');
  await moveClock(database, 30);
  assert.equal(await wordOf(database, 'second'), 'engine_down', 'no worker beats');
});

test('a local engine is busy in the lane in which something of it runs', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'atelier', [{ engine: 'procedural', backends: ['here'] }]);
  await insertBackend(database, 'here', { engine: 'procedural', slots: null });
  await insertFits(database, 'here', 'atelier');
  for (const id of ['one', 'two']) await insertRender(database, id, 'atelier', { waited: 2 });
  await insertRender(database, 'video', 'atelier', { lane: 'video' });
  assert.ok(await claim(database, 'here'));
  assert.deepEqual(await reasonsOf(database, 'two'), [['here', 'busy']]);
  assert.deepEqual(await reasonsOf(database, 'video'), [['here', 'next']]);
});

test('money, time and faults keep a render from a backend: each says so', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [
    { backends: ['gpu1', 'gpu2'] },
    {
      backends: ['fal'],
      engine: 'fal',
      opensAfterSeconds: 45,
      atOnceIfNoneUp: true,
      cost: { currency: 'USD', per_output: 0.03 },
    },
  ]);
  await insertBackend(database, 'gpu1');
  await insertBackend(database, 'gpu2');
  await insertBackend(database, 'fal', { engine: 'fal', slots: 5, maxCostPerDay: 0.03, currency: 'USD' });
  await insertFits(database, 'gpu1', 'flux', [{ runSeconds: 100 }]);
  await insertFits(database, 'gpu2', 'flux', [{ runSeconds: 10 }]);
  await insertFits(database, 'fal', 'flux', [{ route: 1 }]);
  await insertRender(database, 'r', 'flux', { waited: 20 });
  assert.deepEqual(await reasonsOf(database, 'r'), [
    ['gpu1', 'slower'],
    ['gpu2', 'next'],
    ['fal', 'not_open'],
  ]);
  await insertRender(database, 'poor', 'flux', { waited: 20, costMillicredits: 1_000 });
  assert.deepEqual((await reasonsOf(database, 'poor')).at(-1), ['fal', 'too_expensive']);
  await insertRender(database, 'rich', 'flux', { waited: 50 });
  assert.equal((await claim(database, 'fal'))?.render_id, 'rich');
  assert.deepEqual((await reasonsOf(database, 'r')).at(-1), ['fal', 'day_spent']);
  await insertRender(database, 'later', 'flux', { notBeforeSeconds: 30 });
  assert.deepEqual((await reasonsOf(database, 'later'))[1], ['gpu2', 'scheduled']);
  assert.equal(await wordOf(database, 'later'), null, 'it begins later, and was not tried yet');
  await database.rows(`update renders set attempt = 1 where id = 'later'`);
  assert.equal(await wordOf(database, 'later'), 'scheduled_retry');
  await database.rows(`update renders set attempt = 0 where id = 'later'`);
  const failed = await claim(database, 'gpu2');
  await database.rows(
    `update submissions set state = 'failed', blame = 'backend', ended_at = clock() where id = $1`,
    [failed?.id],
  );
  await database.rows(`update renders set status = 'queued' where id = $1`, [failed?.render_id]);
  assert.deepEqual((await reasonsOf(database, failed?.render_id ?? ''))[1], ['gpu2', 'avoided']);
});

type Pick = <T>(...of: [T, ...T[]]) => T;

/** Creates two machines and a paid fallback in arbitrary states, and one waiting render. Returns the chosen states. */
async function arrange(database: Database, pick: Pick): Promise<object> {
  await database.rows('delete from submissions');
  await database.rows('delete from renders');
  await database.rows(`delete from backends where not built_in`);
  await database.rows('delete from provider_costs');
  const chosen: object[] = [];
  for (const [name, engine, route] of [
    ['gpu1', 'comfyui', 0],
    ['gpu2', 'comfyui', 0],
    ['fal', 'fal', 1],
  ] as const) {
    const state = pick(
      'up = true',
      'up = true',
      'up = false',
      `wanted = 'off'`,
      `wanted = 'draining'`,
      `closed_until = clock() + interval '9 seconds'`,
      `closed_until = clock() - interval '9 seconds'`,
    );
    const fit = pick('true', 'true', 'true', 'false', '');
    const runSeconds = pick(null, 5, 50);
    const maxCostPerDay = pick(undefined, 0.01, 1);
    chosen.push({ name, state, fit, runSeconds, maxCostPerDay });
    await insertBackend(database, name, {
      engine,
      slots: 2,
      ...(maxCostPerDay !== undefined && { maxCostPerDay, currency: 'USD' }),
    });
    if (fit !== '') await insertFits(database, name, 'flux', [{ route, ...(runSeconds && { runSeconds }) }]);
    if (fit === 'false') await database.rows('update route_fits set fits = false where backend = $1', [name]);
    await database.rows(`update backends set ${state} where name = $1`, [name]);
    if (pick(true, false, false)) {
      await insertRender(database, `busy ${name}`, 'flux');
      await database.rows(
        `insert into submissions (id, render_id, attempt, backend, model_id, version, route, first_output, outputs, lease_until)
         select gen_random_uuid(), $1, 1, $2, 'flux', 1, $3, 0, 1, clock() + interval '1 minute'`,
        [`busy ${name}`, name, route],
      );
      await database.rows(`update renders set status = 'running' where id = $1`, [`busy ${name}`]);
    }
  }
  const render = {
    waited: pick(1, 20, 60),
    costMillicredits: pick(1_000, 5_000),
    notBeforeSeconds: pick(-5, -5, 5),
    shape: { kind: pick('image', 'image_edit') },
  } as const;
  await insertRender(database, 'r', 'flux', render);
  const blame = pick('backend', 'pair', null, null);
  if (blame !== null) {
    await database.rows(
      `insert into submissions (id, render_id, attempt, backend, model_id, version, route, first_output, outputs,
         lease_until, state, blame, ended_at)
       select gen_random_uuid(), 'r', 1, 'gpu1', 'flux', 1, 0, 0, 1, clock(), 'failed', $1, clock()`,
      [blame],
    );
    await database.rows(`update renders set attempt = 1 where id = 'r'`);
  }
  return { chosen, render, blame };
}

test('nothing is said to keep a backend from a render exactly where the claim gives it the render', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [
    { backends: ['gpu1', 'gpu2'] },
    {
      backends: ['fal'],
      engine: 'fal',
      opensAfterSeconds: 45,
      atOnceIfNoneUp: true,
      cost: { currency: 'USD', per_output: 0.03 },
    },
  ]);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = createRandom(seed);
  const pick: Pick = (...of) => of[Math.floor(random() * of.length)] as (typeof of)[number];
  let taken = 0;
  for (let round = 0; round < 80; round++) {
    const arranged = await arrange(database, pick);
    const said = await reasonsOf(database, 'r');
    const backend = pick('gpu1', 'gpu2', 'fal');
    const expected = said.find(([name]) => name === backend)?.[1];
    const claimed = await claim(database, backend);
    assert.equal(
      claimed?.render_id === 'r',
      expected === 'next',
      `seed ${seed}, ${backend} is said ${expected}: ${JSON.stringify(arranged)}`,
    );
    if (claimed !== undefined) taken++;
  }
  assert.ok(taken > 0 && taken < 80, `${taken} of 80 were taken, seed ${seed}`);
});
