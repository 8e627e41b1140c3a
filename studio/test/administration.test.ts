import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { freshSignInHeader } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import type { StudioAnswer, StudioOperationId } from '@renderkit/contract/studio/operations.ts';
import { studioOperations } from '@renderkit/contract/studio/operations.ts';
import { administrationOperationIds } from '@renderkit/contract/studio/administration/operations.ts';
import type { StudioOperation } from '@renderkit/contract/studio/operation.ts';
import { setAccount } from '@renderkit/studio/operator.ts';
import { Compile } from 'typebox/compile';
import { insertRender } from './claim-rows.ts';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';

const fresh = { [freshSignInHeader]: 'true' };

type Refusal = { code: string; message: string; errors?: { field: string; message: string }[] };

let studio: TestStudio;
let administrator: TestAccount;

/** Calls an operation and checks a successful answer against its schema. */
async function call<Id extends StudioOperationId>(
  id: Id,
  {
    params = {},
    body,
    query,
    headers = fresh,
    by = administrator,
  }: {
    params?: Record<string, string>;
    query?: string;
    body?: unknown;
    headers?: Record<string, string>;
    by?: TestAccount;
  } = {},
): Promise<StudioAnswer<Id>> {
  const answer = await ask(id, { params, body, query, headers, by });
  assert.equal(answer.status, 200, `${id}: ${JSON.stringify(answer.body)}`);
  const check = Compile((studioOperations[id] as StudioOperation).answer);
  assert.ok(
    check.Check(answer.body),
    `${id}: ${JSON.stringify([...check.Errors(answer.body)].slice(0, 3))} ${JSON.stringify(answer.body)}`,
  );
  return answer.body as StudioAnswer<Id>;
}

async function refused<Id extends StudioOperationId>(
  id: Id,
  asked: Parameters<typeof call>[1],
  status: number,
  code: string,
): Promise<Refusal> {
  const answer = await ask(id, { headers: fresh, by: administrator, ...asked });
  assert.deepEqual(
    [answer.status, (answer.body as Refusal).code],
    [status, code],
    JSON.stringify(answer.body),
  );
  return answer.body as Refusal;
}

function ask(
  id: StudioOperationId,
  {
    params = {},
    body,
    query,
    headers,
    by = administrator,
  }: {
    params?: Record<string, string>;
    query?: string | undefined;
    body?: unknown;
    headers?: Record<string, string>;
    by?: TestAccount;
  },
) {
  const { method, path }: StudioOperation = studioOperations[id];
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
  return by.call<unknown>(method, query === undefined ? filled : `${filled}?${query}`, body, headers);
}

const acts = async (subject: string) =>
  (await call('listAdministrationAudit', { query: `subject=${encodeURIComponent(subject)}` })).acts;

before(async () => {
  studio = await startTestStudio({ worker: false });
  administrator = await studio.connect();
  await setAccount(studio.database, administrator.email, { administrator: true });
});
after(() => studio[Symbol.asyncDispose]());

describe('who may', () => {
  test('the studio says that it has administration, and the account who may', async () => {
    const { body: metadata } = await administrator.call<StudioAnswer<'getMetadata'>>('GET', '/api/metadata');
    assert.equal(metadata.administration, true);
    const account = async (by: TestAccount) => (await call('getAccount', { by })).administrator;
    assert.equal(await account(administrator), true);
    assert.equal(await account(await studio.connect()), false);
  });

  test('another account is refused everything, whatever it sends', async () => {
    const other = await studio.connect();
    for (const id of administrationOperationIds) {
      const { body, query }: StudioOperation = studioOperations[id];
      const answer = await ask(id, {
        by: other,
        headers: fresh,
        params: { version: '1' },
        ...(body && { body: {} }),
      });
      // A body of a wrong shape may be refused before the caller's rights are checked.
      assert.ok(
        answer.status === 403 || ((body ?? query) !== undefined && answer.status === 400),
        `${id} ${answer.status}`,
      );
    }
    await refused('listBackends', { by: other }, 403, 'forbidden');
    await refused(
      'drainBackend',
      { by: other, params: { name: 'sandbox' }, body: { within_seconds: null } },
      403,
      'forbidden',
    );
  });

  test('who is suspended, or no administrator any more, is refused at once', async () => {
    const other = await studio.connect();
    const set = (settings: object) => setAccount(studio.database, other.email, settings);
    await set({ administrator: true });
    await call('listBackends', { by: other });
    await set({ suspended: true });
    await refused('listBackends', { by: other }, 403, 'forbidden');
    await set({ suspended: false, administrator: false });
    await refused('listBackends', { by: other }, 403, 'forbidden');
    assert.deepEqual(
      (await acts(`account:${other.id}`)).map(({ actor, before: was, after: is }) => [actor.kind, was, is]),
      [
        ['operator', { administrator: true }, { administrator: false }],
        ['operator', { administrator: false }, { administrator: true }],
      ],
    );
  });
});

describe('backends', () => {
  test('one is added, changed, drained, resumed and removed, each act with before and after', async () => {
    const added = await call('addBackend', {
      body: {
        name: 'gpu1',
        engine: 'comfyui',
        url: 'http://127.0.0.1:9/',
        slots: 2,
        labels: ['fast'],
        secret: 's3cret',
      },
    });
    assert.deepEqual(
      [added.state, added.url, added.slots, added.labels, added.has_secret, added.has_headers],
      ['down', 'http://127.0.0.1:9', 2, ['fast'], true, false],
    );
    assert.match(added.reason ?? '', /./);
    const params = { name: 'gpu1' };
    const changed = await call('changeBackend', {
      params,
      body: { slots: 3, max_cost_per_day: 5, currency: 'USD' },
    });
    assert.deepEqual([changed.slots, changed.max_cost_per_day, changed.currency], [3, 5, 'USD']);
    assert.equal(
      (await call('changeBackend', { params, body: { max_cost_per_day: null } })).max_cost_per_day,
      null,
    );
    assert.match(
      (await call('drainBackend', { params, body: { within_seconds: 60 } })).state,
      /draining|off/,
    );
    assert.equal((await call('resumeBackend', { params })).state, 'down');
    assert.deepEqual(await call('removeBackend', { params }), { name: 'gpu1', removed: true });
    await refused('getBackend', { params }, 404, 'not_found');
    const done = await acts('backend:gpu1');
    assert.deepEqual(
      done.map(({ action }) => action),
      [
        'backend.removed',
        'backend.resumed',
        'backend.drained',
        'backend.changed',
        'backend.changed',
        'backend.added',
      ],
    );
    assert.ok(
      done.every(({ actor }) => actor.kind === 'administrator' && actor.email === administrator.email),
    );
    const change = done.at(-2) as { before: { slots: number }; after: { slots: number } };
    assert.deepEqual([change.before.slots, change.after.slots], [2, 3]);
    assert.doesNotMatch(JSON.stringify(done), /s3cret/);
    assert.deepEqual(done[2]?.before, { wanted: 'on' });
  });

  test('what is wrong is refused by its field', async () => {
    const fields = async (body: object) =>
      (
        await refused(
          'addBackend',
          { body: { name: 'bad', engine: 'comfyui', url: 'http://a', ...body } },
          400,
          'invalid_request',
        )
      ).errors?.map(({ field }) => field);
    assert.deepEqual(await fields({ name: 'a b' }), ['name']);
    assert.deepEqual(await fields({ engine: 'abacus' }), ['engine']);
    assert.deepEqual(await fields({ url: 'ftp://a' }), ['url']);
    assert.deepEqual(await fields({ labels: ['a b'] }), ['labels']);
    assert.deepEqual(await fields({ headers: { 'a b': 'c' } }), ['headers']);
    assert.deepEqual(await fields({ max_cost_per_day: 3 }), ['currency']);
    const { errors } = await refused(
      'addBackend',
      { body: { name: 'sandbox', engine: 'sandbox' } },
      409,
      'conflict',
    );
    assert.deepEqual(
      errors?.map(({ field }) => field),
      ['name'],
    );
    await refused('removeBackend', { params: { name: 'sandbox' } }, 409, 'conflict');
    assert.deepEqual(await acts('backend:bad'), []);
  });

  test('secrets, and where they are sent, ask for a fresh sign-in', async () => {
    const stale = {};
    const body = { name: 'gpu2', engine: 'comfyui', url: 'http://127.0.0.1:9' };
    for (const more of [{ secret: 's' }, { headers: { a: 'b' } }])
      await refused('addBackend', { headers: stale, body: { ...body, ...more } }, 403, 'sign_in_required');
    await refused(
      'addBackend',
      { headers: stale, body: { name: 'sh', engine: 'command' } },
      403,
      'sign_in_required',
    );
    await call('addBackend', { headers: stale, body });
    const params = { name: 'gpu2' };
    for (const change of [{ secret: 's' }, { headers: { a: 'b' } }, { url: 'http://127.0.0.1:10' }])
      await refused('changeBackend', { headers: stale, params, body: change }, 403, 'sign_in_required');
    await call('changeBackend', { headers: stale, params, body: { slots: 4 } });
    await call('drainBackend', { headers: stale, params, body: { within_seconds: null } });
    assert.deepEqual(
      (await acts('backend:gpu2')).map(({ action }) => action),
      ['backend.drained', 'backend.changed', 'backend.added'],
    );
  });

  test('a check asks the machine now, and says what it answered', async () => {
    const machine = createServer((request, response) => response.writeHead(418).end());
    await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(machine.address() as AddressInfo).port}`;
    await call('addBackend', { body: { name: 'gpu3', engine: 'comfyui', url } });
    const params = { name: 'gpu3' };
    const checked = await call('checkBackend', { params });
    assert.equal(checked.state, 'down');
    assert.match(checked.reason ?? '', /418/);
    machine.closeAllConnections();
    await new Promise((resolve) => machine.close(resolve));
    const { steps } = await call('fullyCheckBackend', { params });
    assert.ok(
      steps.some(({ ok }) => !ok),
      JSON.stringify(steps),
    );
    const drawn = await call('fullyCheckBackend', { params: { name: 'sandbox' } });
    assert.deepEqual(
      drawn.steps.filter(({ walked }) => walked).map(({ name, ok }) => [name, ok]),
      ['progress', 'render', 'invalid graph', 'interrupt by id'].map((name) => [name, true]),
    );
  });

  test('medians of the last day stand by model', async () => {
    const { database } = studio;
    for (const [wait, run] of [
      [2, 10],
      [4, 20],
      [600, 30],
    ] as const) {
      const id = `rnd_${wait}`;
      await insertRender(database, id, 'sketch-1', { account: administrator.id, waited: wait + 1 });
      await database.rows(
        `with ended as (update renders set status = 'succeeded' where id = $1)
         insert into submissions (id, render_id, attempt, backend, model_id, version, route, first_output, outputs, state,
           lease_until, created_at, ended_at, run_seconds)
         values (gen_random_uuid(), $1, 1, 'procedural', 'sketch-1', 1, 0, 0, 1, 'done', clock(),
           clock() - interval '1 second', clock(), $2)`,
        [id, run],
      );
    }
    const { backends } = await call('listBackends');
    const times = backends
      .find(({ name }) => name === 'procedural')
      ?.times.find(({ model }) => model === 'sketch-1');
    assert.equal(times?.jobs, 3);
    assert.ok(Math.abs((times?.median_wait_seconds ?? 0) - 4) < 1, String(times?.median_wait_seconds));
    assert.equal(times?.median_run_seconds, 20);
  });
});

describe('models', () => {
  const id = 'sketch-1';
  const params = { id };

  test('each stands with its versions, where it fits, and what would be different', async () => {
    const { models } = await call('listManagedModels');
    const model = models.find((one) => one.id === id);
    assert.deepEqual([model?.state, model?.built_in, model?.published_version], ['offered', true, 1]);
    const detail = await call('getManagedModel', { params });
    assert.deepEqual(
      detail.versions.map(({ version }) => version),
      [1],
    );
    assert.deepEqual(
      detail.fits.map(({ engine, backend }) => [engine, backend]),
      [['procedural', 'procedural']],
    );
    assert.deepEqual((await call('diffModel', { params })).differences, []);
    await refused('getManagedModel', { params: { id: 'nothing' } }, 404, 'not_found');
    await refused('diffModel', { params, query: 'to=9' }, 404, 'not_found');
  });

  test('a price changes with a fresh sign-in alone, and goes back with an older version', async () => {
    const body = { price_millicredits: 7_000 };
    await refused('publishModel', { params, body, headers: {} }, 403, 'sign_in_required');
    assert.equal((await call('getManagedModel', { params })).versions.length, 1);
    assert.deepEqual(await call('publishModel', { params, body }), { id, version: 2, warnings: [] });
    const { differences } = await call('diffModel', { params, query: 'from=1&to=2' });
    assert.deepEqual(
      differences.map(({ path, after: now }) => [path, now]),
      [['manifest/price/base_millicredits', 7_000]],
    );
    await refused('publishModel', { params, body: { version: 1 }, headers: {} }, 403, 'sign_in_required');
    assert.deepEqual(await call('publishModel', { params, body: { version: 1 } }), {
      id,
      version: 1,
      warnings: [],
    });
    // Publishing with the same price needs no fresh sign-in.
    await call('publishModel', { params, body: { version: 1 }, headers: {} });
    await refused('publishModel', { params, body: { version: 9 } }, 404, 'not_found');
    const [back, there] = (await acts(`model:${id}`)).filter(({ action }) => action === 'model.published');
    const priceOf = (act: unknown) =>
      (act as { price: { base_millicredits: number } }).price.base_millicredits;
    assert.deepEqual(
      [priceOf(there?.after), priceOf(back?.before), priceOf(back?.after)],
      [7_000, 7_000, priceOf(there?.before)],
    );
  });

  test('a paused model refuses new renders, whatever is published, until it is resumed', async () => {
    const paused = await call('pauseModel', {
      params,
      body: { reason: 'It is being looked at.' },
      headers: {},
    });
    assert.deepEqual(
      [paused.state, paused.reason, paused.paused_by_administrator],
      ['paused', 'It is being looked at.', true],
    );
    const refusal = async () => {
      for (let i = 0; i < 40; i++) {
        const { refusal: found } = await administrator.quote();
        if (found?.code === 'model_paused') return found.message;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return undefined;
    };
    assert.doesNotMatch((await refusal()) ?? 'never', /never|looked at/);
    // A start and every worker check which models nothing can make. They do not end a pause that an administrator
    // requested.
    await studio.database.rows('select pause_models()');
    await call('publishModel', { params, body: { version: 2 } });
    assert.equal((await call('getManagedModel', { params })).state, 'paused');
    const resumed = await call('resumeModel', { params });
    assert.deepEqual(
      [resumed.state, resumed.paused_by_administrator, resumed.reason],
      ['offered', false, null],
    );
    const [taken, given] = await acts(`model:${id}`);
    assert.deepEqual([taken?.action, taken?.after], ['model.resumed', { reason: null }]);
    assert.equal(given?.action, 'model.published');
    assert.equal((await call('retireModel', { params })).state, 'retired');
    await refused('pauseModel', { params, body: { reason: 'Why not.' } }, 409, 'conflict');
    await refused('retireModel', { params }, 409, 'conflict');
  });
});

describe('plans and styles', () => {
  test('plans are compared with what is in force, and published whole by a fresh sign-in', async () => {
    const { version, plans, accounts } = await call('getPlans');
    const [first, ...rest] = plans;
    assert.ok(first !== undefined && rest.length > 0);
    assert.ok((accounts[first.key] ?? 0) > 0);
    const raised = { ...first, monthly_credits: first.monthly_credits + 1.5 };
    const { changes, reordered } = await call('previewPlans', { body: { plans: [raised] } });
    assert.deepEqual(
      changes.map(({ id, change, accounts: number, problem }) => [id, change, number, problem]),
      [
        [first.key, 'changed', accounts[first.key] ?? 0, null],
        ...rest.map(({ key }) => [key, 'removed', accounts[key] ?? 0, null]),
      ],
    );
    assert.equal(reordered, false);
    assert.deepEqual(
      changes[0]?.differences.map(({ path }) => path),
      ['monthly_credits'],
    );
    const body = { version, plans: [raised, ...rest] };
    await refused('publishPlans', { body, headers: {} }, 403, 'sign_in_required');
    assert.deepEqual(await call('publishPlans', { body }), { version: version + 1, changed: true });
    await refused('publishPlans', { body }, 409, 'conflict');
    const allowance = (await administrator.balance()).allowance_millicredits;
    assert.equal(allowance, raised.monthly_credits * 1_000);
    const [act] = await acts('plans');
    const changedIn = (side: unknown) =>
      (side as { changed: { key: string }[] }).changed.map(({ key }) => key);
    assert.deepEqual([changedIn(act?.before), changedIn(act?.after)], [[first.key], [first.key]]);
  });

  test('a plan that accounts have stays, and each entry that is wrong is named', async () => {
    const { version, plans } = await call('getPlans');
    const [first, second] = plans;
    assert.ok(first !== undefined && second !== undefined);
    const without = plans.slice(1);
    assert.match(
      (await call('previewPlans', { body: { plans: without } })).changes.at(-1)?.problem ?? '',
      /Accounts have/,
    );
    await refused('publishPlans', { body: { version, plans: without } }, 409, 'conflict');
    const twice = { version, plans: [first, second, { ...first, monthly_credits: 0.00001 }] };
    const { errors } = await refused('publishPlans', { body: twice }, 400, 'invalid_request');
    assert.ok(
      errors?.every(({ field }) => field === 'plans[2]' || field === 'plans[0]'),
      JSON.stringify(errors),
    );
    assert.equal((await call('getPlans')).version, version);
  });

  test('styles are compared and published', async () => {
    const { version, styles } = await call('getStyles');
    const added = { id: 'chalk', name: 'Chalk', type: 'image' as const, words: 'drawn with chalk' };
    const { changes } = await call('previewStyles', { body: { styles: [...styles.slice(1), added] } });
    assert.deepEqual(
      changes.map(({ id, change }) => [id, change]),
      [
        ['chalk', 'added'],
        [styles[0]?.id, 'removed'],
      ],
    );
    await call('publishStyles', { body: { version, styles: [...styles, added] }, headers: {} });
    assert.ok((await call('getStyles')).styles.some(({ id }) => id === 'chalk'));
    const older = await call('getStylesVersion', { params: { version: String(version) } });
    assert.deepEqual(older, { version, styles });
    assert.deepEqual(
      (await call('getStyles')).versions?.map((one) => one.version),
      [version + 1, version],
    );
    await refused('getStylesVersion', { params: { version: '99' } }, 404, 'not_found');
    const plans = await call('getPlansVersion', { params: { version: '1' } });
    assert.ok(plans.plans.length > 0);
    const repeated = { version: version + 1, styles: [added, added] };
    const { errors } = await refused('publishStyles', { body: repeated }, 400, 'invalid_request');
    assert.deepEqual(
      errors?.map(({ field }) => field),
      ['styles[1]'],
    );
  });
});

test('the audit comes in pages, newest first, and of one subject', async () => {
  const whole = await call('listAdministrationAudit', { query: 'limit=100' });
  const first = await call('listAdministrationAudit', { query: 'limit=2' });
  const second = await call('listAdministrationAudit', { query: 'limit=2&page=2' });
  assert.deepEqual([...first.acts, ...second.acts], whole.acts.slice(0, 4));
  assert.equal(first.has_more, true);
  await refused('listAdministrationAudit', { query: 'page=1000001&limit=100' }, 400, 'invalid_request');
});
