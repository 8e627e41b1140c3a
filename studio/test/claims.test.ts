import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, moveClock } from '@renderkit/server-kit/testing/database.ts';
import {
  type Claim,
  claimRender,
  findServed,
  releaseLeases,
  renewLeases,
  takeOver,
} from '@renderkit/studio/backends/claim-queries.ts';
import { findDrained, recordSuccess } from '@renderkit/studio/backends/rest-queries.ts';
import { insertAccount, insertBackend, insertFits, insertModel, insertRender } from './claim-rows.ts';

const leaseMs = 30_000;

function claim(database: Database, backend: string, worker = 'wrk_1'): Promise<Claim | undefined> {
  return claimRender(database, { backend, worker, leaseMs, lanes: null });
}

/** Claims renders for a backend until none is left that it may take. Returns them in order. */
async function claimAll(database: Database, backend: string): Promise<string[]> {
  const taken: string[] = [];
  for (;;) {
    const next = await claim(database, backend);
    if (next === undefined) return taken;
    taken.push(next.render_id);
  }
}

/** Ends a submission like a worker that could not finish it: the render waits again. */
async function giveBack(
  database: Database,
  { id, render_id }: Claim,
  blame: 'backend' | 'pair' | null,
): Promise<void> {
  await database.rows(
    `update submissions set state = 'failed', blame = $2, ended_at = clock() where id = $1`,
    [id, blame],
  );
  await database.rows(`update renders set status = 'queued' where id = $1`, [render_id]);
}

async function open(): Promise<AsyncDisposable & { database: Database }> {
  const opened = await createTestDatabase('studio', { poolSize: 25 });
  await insertAccount(opened.database, 'acc');
  return opened;
}

test('a slot takes the render whose turn is first, and commits a leased submission for it', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{ maxPerJob: 2 }]);
  await insertBackend(database, 'gpu1');
  await insertFits(database, 'gpu1', 'flux');
  await insertRender(database, 'later', 'flux', { waited: 10 });
  await insertRender(database, 'first', 'flux', { waited: 30, outputs: 3 });
  await insertRender(database, 'not yet', 'flux', { waited: 90, notBeforeSeconds: 60 });
  const taken = await claim(database, 'gpu1');
  assert.equal(taken?.render_id, 'first');
  assert.deepEqual(
    [taken.attempt, taken.state, taken.backend, taken.route, taken.first_output, taken.outputs],
    [1, 'intended', 'gpu1', 0, 0, 2],
  );
  const [render] = await database.rows(`select status, attempt from renders where id = 'first'`);
  assert.deepEqual(render, { status: 'running', attempt: 1 });
  assert.equal(await claim(database, 'gpu1'), undefined, 'its one slot is taken');
});

test('of two dozen claimers exactly as many get a render as the backend has slots', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  await insertBackend(database, 'gpu1', { slots: 7 });
  await insertFits(database, 'gpu1', 'flux');
  for (let i = 0; i < 30; i++) await insertRender(database, `r${i}`, 'flux', { waited: i });
  const taken = await Promise.all(Array.from({ length: 24 }, (_, i) => claim(database, 'gpu1', `wrk_${i}`)));
  const ids = taken.flatMap((one) => (one === undefined ? [] : [one.render_id]));
  assert.equal(ids.length, 7);
  assert.equal(new Set(ids).size, 7);
});

test('no render is taken twice by backends that claim at the same moment', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  const backends = Array.from({ length: 12 }, (_, i) => `gpu${i}`);
  for (const backend of backends) {
    await insertBackend(database, backend, { slots: 2 });
    await insertFits(database, backend, 'flux');
  }
  for (let i = 0; i < 20; i++) await insertRender(database, `r${i}`, 'flux', { waited: i });
  const taken = await Promise.all([...backends, ...backends].map((backend) => claim(database, backend)));
  const ids = taken.flatMap((one) => (one === undefined ? [] : [one.render_id]));
  assert.equal(ids.length, 20);
  assert.equal(new Set(ids).size, 20);
});

test('an account that hands in many queues behind itself, by its share', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertAccount(database, 'heavy', 2);
  const start = async (account: string) => {
    const [row] = await database.rows<{ seconds: number }>(
      `select extract(epoch from fair_start($1, 10) - clock())::float8 as seconds`,
      [account],
    );
    return Math.round(row?.seconds ?? Number.NaN);
  };
  assert.deepEqual([await start('acc'), await start('acc'), await start('acc')], [0, 10, 20]);
  assert.deepEqual([await start('heavy'), await start('heavy'), await start('heavy')], [0, 5, 10]);
  for (let i = 0; i < 100; i++) await start('acc');
  assert.equal(await start('acc'), 600, 'nobody queues for more than ten minutes behind itself');
});

test('loaded weights go first, and a render is overtaken by the time of the swap at most', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{ affinity: 'flux', swapSeconds: 20 }]);
  await insertModel(database, 'sdxl', [{ affinity: 'sdxl', swapSeconds: 20 }]);
  await insertBackend(database, 'gpu1', { slots: 10 });
  await insertFits(database, 'gpu1', 'flux');
  await insertFits(database, 'gpu1', 'sdxl');
  await database.rows(`update backends set loaded = 'flux'`);
  await insertRender(database, 'sdxl at 0', 'sdxl', { waited: 60 });
  await insertRender(database, 'flux at 15', 'flux', { waited: 45 });
  await insertRender(database, 'flux at 25', 'flux', { waited: 35 });
  assert.deepEqual(await claimAll(database, 'gpu1'), ['flux at 15', 'sdxl at 0', 'flux at 25']);
});

test('a measured time of the swap counts instead of the one that was declared', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{ affinity: 'flux' }]);
  await insertModel(database, 'sdxl', [{ affinity: 'sdxl', swapSeconds: 20 }]);
  await insertBackend(database, 'gpu1', { slots: 10 });
  await insertFits(database, 'gpu1', 'flux');
  await insertFits(database, 'gpu1', 'sdxl', [{ runSeconds: 8, firstSeconds: 10 }]);
  await database.rows(`update backends set loaded = 'flux'`);
  await insertRender(database, 'sdxl', 'sdxl', { waited: 60 });
  await insertRender(database, 'flux', 'flux', { waited: 55 });
  assert.deepEqual(await claimAll(database, 'gpu1'), ['sdxl', 'flux']);
});

test('the first of the routes that take a render is used, by what it has and lacks', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'gpt', [
    { needs: { kind: 'image' }, lacks: ['references'] },
    { needs: { kind: 'image', has: { references: true } } },
    { needs: { kind: 'image_edit' } },
    { needs: {} },
  ]);
  await insertBackend(database, 'openai', { slots: 10 });
  await insertFits(database, 'openai', 'gpt', [{ route: 0 }, { route: 1 }, { route: 2 }, { route: 3 }]);
  await insertRender(database, 'text', 'gpt', { waited: 4 });
  await insertRender(database, 'references', 'gpt', { waited: 3, shape: { has: { references: true } } });
  await insertRender(database, 'edit', 'gpt', {
    waited: 2,
    shape: { kind: 'image_edit', has: { image: true } },
  });
  await insertRender(database, 'video', 'gpt', { waited: 1, shape: { kind: 'video' } });
  const taken: [string, number][] = [];
  for (let next = await claim(database, 'openai'); next; next = await claim(database, 'openai'))
    taken.push([next.render_id, next.route]);
  assert.deepEqual(taken, [
    ['text', 0],
    ['references', 1],
    ['edit', 2],
    ['video', 3],
  ]);
});

test('a fallback opens after its wait, or at once where no earlier route has a backend that is ready', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}, { opensAfterSeconds: 45, atOnceIfNoneUp: true }]);
  await insertBackend(database, 'gpu1');
  await insertBackend(database, 'fal', { engine: 'fal', slots: 10 });
  await insertFits(database, 'gpu1', 'flux', [{ route: 0 }]);
  await insertFits(database, 'fal', 'flux', [{ route: 1 }]);
  await insertRender(database, 'old', 'flux', { waited: 46 });
  await insertRender(database, 'young', 'flux', { waited: 40 });
  assert.deepEqual(await claimAll(database, 'fal'), ['old']);
  await database.rows(
    `update backends set closed_until = clock() + interval '5 seconds' where name = 'gpu1'`,
  );
  assert.deepEqual(await claimAll(database, 'fal'), ['young'], 'it rests');
  for (const state of [`up = false, closed_until = null`, `up = true, wanted = 'draining'`]) {
    await database.rows(`update backends set ${state} where name = 'gpu1'`);
    await insertRender(database, state, 'flux');
    assert.deepEqual(await claimAll(database, 'fal'), [state]);
  }
});

test('a backend that is draining, off or down takes nothing, and one that rested takes a single one first', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  await insertBackend(database, 'gpu1', { slots: 3 });
  await insertFits(database, 'gpu1', 'flux');
  for (let i = 0; i < 5; i++) await insertRender(database, `r${i}`, 'flux');
  for (const state of [
    `wanted = 'draining'`,
    `wanted = 'off'`,
    `wanted = 'on', up = false`,
    `up = true, closed_until = clock() + interval '1 minute'`,
    `closed_until = 'infinity'`,
  ]) {
    await database.rows(`update backends set ${state}`);
    assert.deepEqual(await claimAll(database, 'gpu1'), [], state);
  }
  await database.rows(`update backends set closed_until = clock() - interval '1 second'`);
  assert.equal((await claimAll(database, 'gpu1')).length, 1, 'the trial');
  await database.rows(`update backends set closed_until = null`);
  assert.equal((await claimAll(database, 'gpu1')).length, 2);
});

test('a render that a backend failed goes elsewhere first, and comes back where there is nowhere else', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  for (const backend of ['gpu1', 'gpu2']) {
    await insertBackend(database, backend);
    await insertFits(database, backend, 'flux');
  }
  await insertRender(database, 'r', 'flux');
  const first = await claim(database, 'gpu1');
  await giveBack(database, first as Claim, 'backend');
  assert.equal(await claim(database, 'gpu1'), undefined, 'gpu2 is there');
  await database.rows(`update backends set up = false where name = 'gpu2'`);
  assert.equal((await claim(database, 'gpu1'))?.attempt, 2, 'gpu2 is not');
});

test('a render that is too much for a backend never comes back to it', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  await insertBackend(database, 'gpu1');
  await insertFits(database, 'gpu1', 'flux');
  await insertRender(database, 'r', 'flux');
  await giveBack(database, (await claim(database, 'gpu1')) as Claim, 'pair');
  assert.equal(await claim(database, 'gpu1'), undefined);
});

test('a slow machine leaves a render to a free faster one, and helps where there is none', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  await insertBackend(database, 'fast');
  await insertBackend(database, 'slow', { slots: 2 });
  await insertFits(database, 'fast', 'flux', [{ runSeconds: 10 }]);
  await insertFits(database, 'slow', 'flux', [{ runSeconds: 40 }]);
  await insertRender(database, 'old', 'flux', { waited: 31 });
  await insertRender(database, 'a', 'flux', { waited: 2 });
  await insertRender(database, 'b', 'flux', { waited: 1 });
  assert.deepEqual(await claimAll(database, 'slow'), ['old']);
  assert.equal((await claim(database, 'fast'))?.render_id, 'a');
  assert.deepEqual(await claimAll(database, 'slow'), ['b']);
});

test('a local engine takes the lanes in which its worker has slots, whatever other workers do', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'atelier', [{ engine: 'procedural' }]);
  await insertBackend(database, 'here', { engine: 'procedural', slots: null });
  await insertFits(database, 'here', 'atelier');
  await insertRender(database, 'video', 'atelier', { waited: 3, lane: 'video' });
  await insertRender(database, 'image 1', 'atelier', { waited: 2 });
  await insertRender(database, 'image 2', 'atelier', { waited: 1 });
  const take = async (worker: string, lanes: ('image' | 'video')[]) =>
    (await claimRender(database, { backend: 'here', worker, leaseMs, lanes }))?.render_id;
  assert.equal(await take('wrk_1', ['image']), 'image 1');
  assert.equal(await take('wrk_2', ['image', 'video']), 'video');
  assert.equal(await take('wrk_2', ['video']), undefined);
  await database.rows(`update backends set wanted = 'draining'`);
  assert.equal(await take('wrk_1', ['image']), undefined);
});

test('leases are renewed by who holds them alone, and a dead worker is taken over once', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  await insertBackend(database, 'gpu1', { slots: 3 });
  await insertFits(database, 'gpu1', 'flux');
  for (let i = 0; i < 3; i++) await insertRender(database, `r${i}`, 'flux');
  const [kept, lost] = [await claim(database, 'gpu1', 'alive'), await claim(database, 'gpu1', 'dead')];
  assert.ok(kept && lost);
  await moveClock(database, 25);
  const ids = [kept.id, lost.id];
  assert.deepEqual(await renewLeases(database, { ids, worker: 'alive', leaseMs }), new Set([kept.id]));
  const successor = { backends: ['gpu1'], worker: 'successor', leaseMs, held: [], atMost: 10 };
  assert.deepEqual(await takeOver(database, successor), [], 'it may live yet');
  await moveClock(database, 35);
  assert.deepEqual(await takeOver(database, { ...successor, backends: ['gpu2'] }), []);
  assert.deepEqual(await takeOver(database, { ...successor, held: [lost.id] }), [], 'it is at it itself');
  const taken = (await Promise.all(Array.from({ length: 8 }, () => takeOver(database, successor)))).flat();
  assert.deepEqual(
    taken.map(({ id, attempt, render_id }) => ({ id, attempt, render_id })),
    [{ id: lost.id, attempt: 2, render_id: lost.render_id }],
  );
  const [render] = await database.rows('select attempt from renders where id = $1', [lost.render_id]);
  assert.deepEqual(render, { attempt: 2 });
  assert.equal((await renewLeases(database, { ids, worker: 'dead', leaseMs })).size, 0);
  assert.equal(await releaseLeases(database, 'alive'), 1);
  assert.deepEqual(
    (await takeOver(database, successor)).map(({ id }) => id),
    [kept.id],
  );
});

test('a job that ended well ends the trial of its backend, and the times of its route follow', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{ affinity: 'flux' }]);
  await insertBackend(database, 'gpu1', { slots: 3 });
  await insertFits(database, 'gpu1', 'flux');
  for (let i = 0; i < 4; i++) await insertRender(database, `r${i}`, 'flux', { waited: i });
  const end = async (taken: Claim | undefined, seconds: number) => {
    assert.ok(taken);
    await database.rows(`update submissions set state = 'done' where id = $1`, [taken.id]);
    await database.transaction((transaction) => recordSuccess(transaction, taken.id, seconds));
  };
  const times = async () => (await database.rows('select run_seconds, first_seconds from route_fits'))[0];
  await database.rows(
    `update backends set failures = 3, closed_since = clock(), closed_until = clock() + interval '1 minute', reason = 'It broke.'`,
  );
  await moveClock(database, 61);
  const trial = await claim(database, 'gpu1');
  assert.equal(await claim(database, 'gpu1'), undefined, 'one alone');
  await end(trial, 30);
  assert.deepEqual(await times(), { run_seconds: null, first_seconds: 30 }, 'it loaded the weights first');
  const [backend] = await database.rows(
    `select failures, closed_since, closed_until, reason from backends where name = 'gpu1'`,
  );
  assert.deepEqual(backend, { failures: 0, closed_since: null, closed_until: null, reason: null });
  const both = [await claim(database, 'gpu1'), await claim(database, 'gpu1')];
  await end(both[0], 10);
  assert.deepEqual(await times(), { run_seconds: 10, first_seconds: 30 });
  await database.rows(`update backends set closed_until = clock() + interval '1 minute'`);
  await end(both[1], 20);
  assert.deepEqual(await times(), { run_seconds: 12, first_seconds: 30 }, 'one alone decides little');
  assert.equal(await claim(database, 'gpu1'), undefined, 'one that ran before the fault ends no rest');
});

test('what runs on a backend whose time to drain is over is found by who holds it', async () => {
  await using opened = await open();
  const { database } = opened;
  await insertModel(database, 'flux', [{}]);
  await insertBackend(database, 'gpu1', { slots: 3 });
  await insertFits(database, 'gpu1', 'flux');
  for (let i = 0; i < 2; i++) await insertRender(database, `r${i}`, 'flux');
  const [mine] = [await claim(database, 'gpu1', 'wrk_1'), await claim(database, 'gpu1', 'wrk_2')];
  const served = async () => {
    const [one] = await findServed(database, { engines: ['comfyui'], labels: [] });
    return [one?.has_room, one?.is_drained];
  };
  assert.deepEqual(await served(), [true, false]);
  await database.rows(`update backends set wanted = 'draining', drain_until = clock() + interval '1 minute'`);
  assert.deepEqual(await findDrained(database, 'wrk_1'), [], 'it has a minute yet');
  assert.deepEqual(await served(), [false, false]);
  await moveClock(database, 61);
  assert.deepEqual(await findDrained(database, 'wrk_1'), [mine?.id]);
  assert.deepEqual(await served(), [false, true]);
});
