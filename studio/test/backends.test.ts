import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateDriver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import { checkBackend } from '@renderkit/studio/backends/check-backend.ts';
import { claimRender } from '@renderkit/studio/backends/claim-queries.ts';
import { DriverPool } from '@renderkit/studio/backends/driver-pool.ts';
import { recordUnfit } from '@renderkit/studio/backends/rest-queries.ts';
import { replaceFits } from '@renderkit/studio/backends/fits-store.ts';
import {
  addBackend,
  drainBackend,
  removeBackend,
  resumeBackend,
  setBackend,
  showBackend,
} from '@renderkit/studio/backends/manage-backends.ts';
import { probeBackend } from '@renderkit/studio/backends/probe-backend.ts';
import { startBackendHealth } from '@renderkit/studio/backends/start-backend-health.ts';
import { insertAccount, insertModel, insertRender } from './claim-rows.ts';
import { testSecretKey } from './harness.ts';

const log = createLogger({ part: 'test', level: process.env['TEST_LOG'] === undefined ? 'silent' : 'debug' });
const secrets = openBackendSecrets(testSecretKey);

/** A machine that a test can turn off and on, and whose problems it can set. */
type Machine = AsyncDisposable & {
  url: string;
  probes: number;
  /** Models whose checks the machine answers with 500. */
  broken: Set<string>;
  checked: string[];
  lastHeaders: Record<string, unknown>;
  answer: { status: number; digest: string; problems: Problem[] };
};

async function startMachine(): Promise<Machine> {
  const server: Server = createServer((request, response) => {
    if (request.url === '/health') machine.probes++;
    machine.lastHeaders = request.headers;
    const model = /^\/check\/(.*)$/.exec(request.url ?? '')?.[1];
    if (model !== undefined) machine.checked.push(model);
    if (model !== undefined && machine.broken.has(model)) {
      response.writeHead(500).end();
      return;
    }
    response.writeHead(machine.answer.status).end(JSON.stringify(machine.answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const machine: Machine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    probes: 0,
    broken: new Set(),
    checked: [],
    lastHeaders: {},
    answer: { status: 200, digest: 'a', problems: [] },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return machine;
}

/** A minimal driver: asks such a machine for its state and for the problems of a route. */
const createDriver: CreateDriver = ({ backend }) => {
  const ask = async (path: string, signal: AbortSignal): Promise<Machine['answer']> => {
    const failure = (message: string, cause?: unknown) =>
      new EngineFailure(message, { blame: 'backend', code: 'engine_unavailable', cause });
    const headers = {
      ...backend.headers,
      ...(backend.secret && { authorization: `Bearer ${backend.secret}` }),
    };
    const response = await fetch(backend.url + path, { signal, headers }).catch((error: unknown) => {
      throw failure('It cannot be reached.', error);
    });
    if (!response.ok) throw failure(`It answered ${response.status}.`);
    return (await response.json()) as Machine['answer'];
  };
  const never = () => Promise.reject(new Error('no render is sent in these tests'));
  return {
    prepare: never,
    submit: never,
    find: never,
    cancel: never,
    follow: async function* () {
      yield await never();
    },
    probe: async (signal) => {
      const { digest } = await ask('/health', signal);
      return { version: '1', digest, queue: 0, vramBytes: 24e9 };
    },
    check: async ({ route }, signal) => (await ask(`/check/${route.name}`, signal)).problems,
    [Symbol.asyncDispose]: async () => undefined,
  };
};

type Setup = AsyncDisposable & { database: Database; machine: Machine; startProcess: () => AsyncDisposable };

async function open(): Promise<Setup> {
  await using owners = new AsyncDisposableStack();
  const { database } = owners.use(await createTestDatabase('studio'));
  const machine = owners.use(await startMachine());
  const startProcess = () => {
    const parts = new AsyncDisposableStack();
    const drivers = parts.use(
      new DriverPool({ secrets, egressAllow: [], log, createDriver: () => createDriver }),
    );
    parts.use(startBackendHealth({ database, drivers, announce: () => undefined, log }));
    return parts;
  };
  const owned = owners.move();
  return { database, machine, startProcess, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const manage = (database: Database) => ({ database, secrets, actor: 'operator' as const });

async function probe(database: Database, drivers: DriverPool): Promise<void> {
  const stopping = new AbortController().signal;
  const driver = await drivers.find(database, 'gpu1');
  await probeBackend('gpu1', () => driver, { database, stopping });
}

async function stateIs(database: Database, state: string): Promise<boolean> {
  return (await showBackend(database, 'gpu1')).state === state;
}

async function pausedReason(database: Database, model: string): Promise<string | null> {
  const [row] = await database.rows<{ paused_reason: string | null }>(
    'select paused_reason from models where id = $1',
    [model],
  );
  return row?.paused_reason ?? null;
}

test('a model pauses when its last backend dies, and comes back with it', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  await insertModel(database, 'flux', [{ backends: ['gpu'] }]);
  await addBackend(
    { name: 'gpu1', engine: 'comfyui', settings: { url: machine.url, labels: ['gpu'] } },
    manage(database),
  );
  assert.equal((await showBackend(database, 'gpu1')).state, 'down', 'nobody has asked it yet');
  await using _ = setup.startProcess();
  await until('up', () => stateIs(database, 'ready'));
  await until('offered', async () => (await pausedReason(database, 'flux')) === null);
  await insertAccount(database, 'acc');
  await insertRender(database, 'r', 'flux');
  machine.answer.status = 503;
  let seconds = 0;
  // Probes follow the database's clock: every 10 seconds, and 2 seconds after the first failure.
  while (!(await stateIs(database, 'down'))) {
    seconds += 4;
    assert.ok(seconds < 30, 'noticed within 30 seconds');
    await moveClock(database, seconds);
    await sleep(1_200);
  }
  assert.equal((await showBackend(database, 'gpu1')).reason, 'It answered 503.');
  await until('paused', async () => (await pausedReason(database, 'flux')) !== null);
  assert.equal(await pausedReason(database, 'flux'), 'gpu1 is down: It answered 503.');
  machine.answer.status = 200;
  await moveClock(database, seconds + 31);
  await until('up again', () => stateIs(database, 'ready'));
  await until('offered again', async () => (await pausedReason(database, 'flux')) === null);
  const claim = { backend: 'gpu1', worker: 'wrk', leaseMs: 30_000, lanes: null };
  await until('claimed', async () => (await claimRender(database, claim))?.render_id === 'r');
});

test('however many processes there are, one of them probes', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings: { url: machine.url } }, manage(database));
  await using _ = setup.startProcess();
  await using __ = setup.startProcess();
  await using ___ = setup.startProcess();
  await until('up', () => stateIs(database, 'ready'));
  await sleep(2_500);
  assert.equal(machine.probes, 1);
  await moveClock(database, 11);
  await until('probed again', async () => machine.probes > 1);
  await sleep(1_500);
  assert.equal(machine.probes, 2);
});

test('a route that a backend lacks something for is not sent there, until a probe shows that it changed', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  machine.answer.problems = [{ code: 'file_missing', message: 'It lacks flux1-dev.safetensors.' }];
  await insertModel(database, 'flux', [{ backends: ['gpu1'] }]);
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings: { url: machine.url } }, manage(database));
  await using _ = setup.startProcess();
  await until('paused', async () => (await pausedReason(database, 'flux')) !== null);
  assert.equal(await pausedReason(database, 'flux'), 'gpu1: It lacks flux1-dev.safetensors.');
  machine.answer = { status: 200, digest: 'b', problems: [] };
  await moveClock(database, 11);
  await until('offered', async () => (await pausedReason(database, 'flux')) === null);
});

test('what a render met stays a reason until the backend came back or changed, or its operator acts', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  await insertModel(database, 'flux', [{ backends: ['gpu1'] }]);
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings: { url: machine.url } }, manage(database));
  await using drivers = new DriverPool({ secrets, egressAllow: [], log, createDriver: () => createDriver });
  const look = async () => {
    const checked = await checkBackend('gpu1', { database, drivers, stopping: new AbortController().signal });
    return checked.routes[0];
  };
  assert.deepEqual((await look())?.problems, []);
  const met = { code: 'sample_failed', message: 'SafetensorError: header too large' } as const;
  const meet = async () => {
    const route = { backend: 'gpu1', model_id: 'flux', version: 1, route: 0 };
    await recordUnfit(database, route, met);
    await recordUnfit(database, route, met);
  };
  const fitsNow = async () => {
    const [row] = await database.rows<{ fits: boolean }>(
      `select fits from route_fits where backend = 'gpu1'`,
    );
    return row?.fits;
  };
  const checkAgain = async (problems: Problem[] = []) => {
    const fits = [{ model_id: 'flux', version: 1, route: 0, problems }];
    await replaceFits(database, 'gpu1', fits);
  };
  await meet();
  const lacks = { code: 'file_missing', message: 'It lacks a file.' } as const;
  await checkAgain([lacks]);
  assert.deepEqual(await database.rows(`select fits, problems from route_fits where backend = 'gpu1'`), [
    { fits: false, problems: [lacks, met] },
  ]);
  await checkAgain();
  assert.equal(await fitsNow(), false, 'a check cannot see it');
  assert.equal((await look())?.fits, true, 'an operator asked');
  await meet();
  assert.equal(await fitsNow(), false);
  machine.answer.digest = 'started anew';
  await probe(database, drivers);
  await checkAgain();
  assert.equal(await fitsNow(), true, 'it has changed');
  await meet();
  await probe(database, drivers);
  await checkAgain();
  assert.equal(await fitsNow(), false, 'it is as it was');
  await database.rows('update backends set up = false');
  await probe(database, drivers);
  await checkAgain();
  assert.equal(await fitsNow(), true, 'it came back');
  await meet();
  await setBackend('gpu1', { slots: 2 }, manage(database));
  await checkAgain();
  assert.equal(await fitsNow(), true, 'its operator changed it');
});

test('a route that cannot be checked stays as it was known, and keeps no other from being checked', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  for (const id of ['alder', 'birch', 'cedar']) await insertModel(database, id, [{ backends: ['gpu1'] }]);
  await database.rows(
    `update model_versions set manifest = jsonb_set(manifest::jsonb, '{routes,0,name}', to_jsonb(model_id))::json`,
  );
  await database.rows(`update models set published_version = null where id = 'alder'`);
  await database.rows(`update model_versions set published_at = null where model_id = 'alder'`);
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings: { url: machine.url } }, manage(database));
  await using drivers = new DriverPool({ secrets, egressAllow: [], log, createDriver: () => createDriver });
  const look = async () => {
    machine.checked.length = 0;
    await checkBackend('gpu1', { database, drivers, stopping: new AbortController().signal });
    const rows = await database.rows<{ model_id: string; fits: boolean; problems: Problem[] }>(
      `select model_id, fits, problems from route_fits where backend = 'gpu1' order by model_id`,
    );
    return rows.map(({ model_id: id, fits, problems }) => [id, fits, problems.map(({ message }) => message)]);
  };
  machine.broken.add('alder');
  machine.broken.add('birch');
  const silent = 'gpu1 cannot be asked: It answered 500.';
  assert.deepEqual(await look(), [
    ['alder', false, [silent]],
    ['birch', false, [silent]],
    ['cedar', true, []],
  ]);
  assert.deepEqual(machine.checked, ['birch', 'cedar', 'alder'], 'drafts come last');
  assert.equal(await pausedReason(database, 'birch'), `gpu1: ${silent}`);
  machine.broken.delete('birch');
  machine.broken.add('cedar');
  const known = [
    ['alder', false, [silent]],
    ['birch', true, []],
    ['cedar', true, []],
  ];
  assert.deepEqual(await look(), known);
  assert.equal(await pausedReason(database, 'birch'), null);
  machine.broken.add('birch');
  machine.answer.problems = [{ code: 'file_missing', message: 'It lacks a file.' }];
  assert.deepEqual(await look(), known, 'it says nothing of any');
});

test('what is drawn in the workers fits at once, and a model that names nobody says so', async () => {
  await using setup = await open();
  const { database } = setup;
  await insertModel(database, 'own', [{ engine: 'procedural', backends: ['procedural'] }]);
  await insertModel(database, 'lost', [{ backends: ['gpu24', 'gpu48'] }]);
  await using _ = setup.startProcess();
  await until(
    'fits',
    async () => (await database.rows(`select from route_fits where fits and model_id = 'own'`)).length === 1,
  );
  await until('paused', async () => (await pausedReason(database, 'lost')) !== null);
  assert.equal(await pausedReason(database, 'lost'), 'No backend is gpu24 or gpu48.');
  assert.equal(await pausedReason(database, 'own'), null);
});

test('a fault lets a backend rest, three times as long after each, and never for less', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings: { url: machine.url } }, manage(database));
  await database.rows(`update backends set up = true where name = 'gpu1'`);
  const rest = async (retryAfter: number | null = null, lasting = false) => {
    await database.rows('select rest_backend($1, $2, $3, $4, $5)', [
      'gpu1',
      'x',
      'It broke.',
      retryAfter,
      lasting,
    ]);
    const [row] = await database.rows<{ seconds: number }>(
      `select round(extract(epoch from closed_until - clock()))::float8 as seconds from backends where name = 'gpu1'`,
    );
    return row?.seconds;
  };
  assert.equal(await rest(), 5);
  assert.equal(await rest(), 5, 'what ran beside it failed too');
  assert.equal((await showBackend(database, 'gpu1')).state, 'resting');
  assert.equal((await showBackend(database, 'gpu1')).reason, 'It broke.');
  let now = 0;
  for (const expected of [15, 45, 135, 405, 900, 900]) {
    await moveClock(database, (now += 1_000));
    assert.equal(await rest(), expected);
  }
  await moveClock(database, (now += 1_000));
  assert.equal(await rest(60), 60, 'as long as it asked for');
  assert.equal(await rest(5), 60);
  assert.equal(await rest(null, true), Infinity);
  await setBackend('gpu1', { slots: 2 }, manage(database));
  assert.equal((await showBackend(database, 'gpu1')).state, 'ready', 'its operator has done something');
});

test('a drained backend is off once nothing runs there, and cannot be removed before', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  await insertModel(database, 'flux', [{ backends: ['gpu1'] }]);
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings: { url: machine.url } }, manage(database));
  await using _ = setup.startProcess();
  await until('up', () => stateIs(database, 'ready'));
  await insertAccount(database, 'acc');
  await insertRender(database, 'r', 'flux');
  const claim = { backend: 'gpu1', worker: 'wrk', leaseMs: 30_000, lanes: null };
  await until('claimed', async () => (await claimRender(database, claim)) !== undefined);
  assert.equal((await showBackend(database, 'gpu1')).state, 'busy');
  await drainBackend('gpu1', null, manage(database));
  const { state, reason, in_use } = await showBackend(database, 'gpu1');
  assert.deepEqual([state, reason, in_use], ['draining', '1 still run.', 1]);
  await assert.rejects(removeBackend('gpu1', manage(database)), /^BackendError: 1 still run on gpu1/);
  await database.rows(`update submissions set state = 'done'`);
  assert.equal((await showBackend(database, 'gpu1')).state, 'off');
  await until('noted', async () => {
    const [row] = await database.rows<{ wanted: string }>(`select wanted from backends where name = 'gpu1'`);
    return row?.wanted === 'off';
  });
  await resumeBackend('gpu1', manage(database));
  assert.equal((await showBackend(database, 'gpu1')).state, 'ready');
  await removeBackend('gpu1', manage(database));
  const acts = await database.rows<{ action: string }>(
    `select action from admin_audit where subject = 'backend:gpu1' order by at, id`,
  );
  assert.deepEqual(
    acts.map(({ action }) => action),
    ['backend.added', 'backend.drained', 'backend.resumed', 'backend.removed'],
  );
});

test('secrets and headers are sent, kept encrypted for their row alone, and shown to nobody', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  const settings = { url: machine.url, secret: 'sk-secret', headers: { 'X-Team': 'blue', 'X-Old': '1' } };
  await addBackend({ name: 'gpu1', engine: 'comfyui', settings }, manage(database));
  await setBackend('gpu1', { headers: { 'X-Old': '', 'X-New': '2' } }, manage(database));
  await using _ = setup.startProcess();
  await until('up', () => stateIs(database, 'ready'));
  const { authorization, 'x-team': team, 'x-old': old, 'x-new': fresh } = machine.lastHeaders;
  assert.deepEqual([authorization, team, old, fresh], ['Bearer sk-secret', 'blue', undefined, '2']);
  const [row] = await database.rows<{ all: string; secret: string }>(
    `select (select json_agg(b) from backends b)::text || (select json_agg(a) from admin_audit a)::text as all, secret
     from backends where name = 'gpu1'`,
  );
  assert.doesNotMatch(row?.all ?? '', /sk-secret|blue/);
  const moved = { name: 'gpu2', secret: row?.secret ?? '', headers: null };
  assert.throws(() => secrets.read(moved), /SECRET_KEY is not the one/);
  const another = openBackendSecrets(Buffer.alloc(32, 8));
  assert.throws(() => another.read({ ...moved, name: 'gpu1' }), /^EngineFailure: SECRET_KEY is not the one/);
});

test('what no backend can be is refused with a sentence', async () => {
  await using setup = await open();
  const { database, machine } = setup;
  const add = (name: string, settings: object, engine: 'comfyui' | 'fal' | 'command' = 'comfyui') =>
    addBackend({ name, engine, settings }, manage(database));
  await add('gpu1', { url: machine.url });
  await assert.rejects(add('gpu1', { url: machine.url }), /There is already a backend gpu1/);
  await assert.rejects(add('gpu 1', { url: machine.url }), /is no name/);
  await assert.rejects(add('gpu2', {}), /needs an address/);
  await assert.rejects(add('gpu2', { url: 'ftp://x' }), /is no address/);
  await assert.rejects(add('gpu2', { url: machine.url, slots: 0 }), /from 1 to 1000 slots/);
  await assert.rejects(add('gpu2', { url: machine.url, maxCostPerDay: 3 }), /needs its currency/);
  await assert.rejects(add('here', { url: machine.url }, 'command'), /has no address/);
  await assert.rejects(removeBackend('procedural', manage(database)), /comes with the product/);
  await assert.rejects(removeBackend('gpu9', manage(database)), /There is no backend gpu9/);
  await add('fal', {}, 'fal');
  assert.equal((await showBackend(database, 'fal')).url, 'https://queue.fal.run');
});
