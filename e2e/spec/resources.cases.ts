import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Fields, send } from './caller.ts';
import { assertShape } from './shape.ts';
import * as shapes from './shapes.ts';
import {
  create,
  ended,
  estimate,
  type Generation,
  type List,
  sharedWorld,
  type Person,
  rendered,
  type World,
} from './world.ts';

describe('§2 resources and their fields', () => {
  let world: World;
  let pro: Person;

  before(async () => {
    world = await sharedWorld();
    pro = await world.person();
  });

  test('an account has every field, and its credits are the balance', async () => {
    const { body } = await pro.call('GET', '/v1/account');
    assertShape(shapes.account, body);
    assert.deepEqual(body['tier'], { key: 'pro', name: 'Pro' });
    assert.equal(body['email'], pro.who.email);
    assert.deepEqual(body['credits'], (await pro.call('GET', '/v1/account/balance')).body);
  });

  test('a balance is what is left of the month and what was bought', async () => {
    const { body } = await pro.call<Record<string, number>>('GET', '/v1/account/balance');
    assertShape(shapes.balance, body);
    assert.equal(body['balance'], Number(body['monthly']) + Number(body['lifetime']));
  });

  test('limits tell of overall, image, edit and video', async () => {
    const { body } = await pro.call('GET', '/v1/account/limits');
    assertShape(shapes.limits, body);
    assert.deepEqual(body, {
      object: 'limits',
      overall: { limit: 8, running: 0 },
      image: { limit: 4, running: 0, queued: 0 },
      edit: { limit: 4, running: 0, queued: 0 },
      video: { limit: 2, running: 0, queued: 0 },
    });
  });

  test('models, styles and suggestions come as lists of full objects on one page', async () => {
    for (const [path, shape] of [
      ['/v1/models', shapes.model],
      ['/v1/styles', shapes.style],
      ['/v1/suggestions', shapes.suggestion],
    ] as const) {
      const { body } = await pro.call<List>('GET', path);
      assertShape(shapes.listOf(shape), body);
      assert.deepEqual([body.page, body.limit, body.has_more], [1, body.data.length, false]);
      assert.equal(
        new Set(body.data.map((item) => item['id'])).size,
        body.data.length,
        `${path}: no id twice`,
      );
    }
  });

  test('a model by its id, slashes encoded, is the same as in the list', async () => {
    const { body } = await pro.call<List>('GET', '/v1/models');
    assert.ok(body.data.some((model) => String(model['id']).includes('/')));
    for (const model of body.data) {
      const path = `/v1/models/${encodeURIComponent(String(model['id']))}`;
      assert.deepEqual((await pro.call('GET', path)).body, model);
    }
  });

  test('every option has what its type needs', async () => {
    const { body } = await pro.call<List<{ parameters: { options: Fields[] } }>>('GET', '/v1/models');
    const options = body.data.flatMap((model) => model.parameters.options);
    assert.deepEqual(
      new Set(options.map((option) => option['type'])),
      new Set(['select', 'toggle', 'slider']),
    );
    for (const option of options) {
      const has = ['values', 'min', 'max', 'step'].filter((name) => option[name] !== undefined);
      const expected = { select: ['values'], slider: ['min', 'max', 'step'], toggle: [] as string[] };
      assert.deepEqual(
        has,
        expected[option['type'] as 'select' | 'slider' | 'toggle'],
        JSON.stringify(option),
      );
    }
  });

  test('a project has every field, before and after its first picture', async () => {
    const made = await pro.call('POST', '/v1/projects', { body: { title: 'Harbour 7' } });
    assert.equal(made.status, 201);
    assertShape(shapes.project, made.body);
    assert.deepEqual([made.body['title'], made.body['last_generation']], ['Harbour 7', null]);
    const picture = await rendered(pro.call, { project_id: made.body['id'] });
    assert.equal(picture.project_id, made.body['id']);
    const { body } = await pro.call('GET', `/v1/projects/${String(made.body['id'])}`);
    assertShape(shapes.project, body);
    const [output] = picture.outputs;
    assert.deepEqual(body['last_generation'], {
      type: 'image',
      url: output?.url,
      thumb_url: output?.thumb_url,
      nsfw: false,
    });
  });

  test('a generation has every field from the 202 to its end, and the cost stays', async () => {
    const metadata = { order: '17', '': 'empty name', emoji: '🦊' };
    const made = await create(pro.call, { metadata });
    assert.equal(made.status, 202);
    assertShape(shapes.generation, made.body);
    const { id: _, created_at: createdAt, ...rest } = made.body;
    assert.deepEqual(rest, {
      object: 'generation',
      kind: 'image',
      status: 'queued',
      model: 'sketch-1',
      project_id: null,
      cost: { credits: 1 },
      expected_outputs: 1,
      outputs: [],
      error: null,
      prompt_id: null,
      metadata,
      submitted_at: null,
      completed_at: null,
    });
    const done = await ended(pro.call, made.body.id);
    assertShape(shapes.generation, done);
    assert.deepEqual(
      [done.status, done.error, done.cost, done.metadata],
      ['succeeded', null, { credits: 1 }, metadata],
    );
    assert.ok(createdAt === done.created_at && createdAt <= String(done.submitted_at));
    assert.ok(String(done.submitted_at) <= String(done.completed_at));
    const { body } = await pro.call<List<Generation>>('GET', '/v1/generations?limit=1');
    assert.deepEqual(body.data[0], done, 'the list shows the same object');
  });

  test('a generation without a project lands in one named API', async () => {
    const { call } = await world.person();
    const first = await rendered(call);
    const second = await rendered(call);
    assert.equal(first.project_id, second.project_id);
    const { body } = await call('GET', `/v1/projects/${first.project_id}`);
    assert.equal(body['title'], 'API');
    assert.equal((await call<List>('GET', '/v1/projects')).body.data.length, 1);
  });

  test('output links serve the picture in the size that is told, and a smaller thumbnail', async () => {
    for (const [ratio, width, height] of [
      ['1:1', 256, 256],
      ['16:9', 464, 261],
    ] as const) {
      const { outputs } = await rendered(pro.call, { aspect_ratio: ratio });
      assert.equal(outputs.length, 1);
      const [output] = outputs;
      assert.deepEqual([output?.type, output?.width, output?.height], ['image', width, height]);
      const picture = await fetch(output?.url ?? '');
      const bytes = Buffer.from(await picture.arrayBuffer());
      assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
      assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
      assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width, height]);
      const thumbnail = await fetch(output?.thumb_url ?? '');
      assert.match(thumbnail.headers.get('content-type') ?? '', /^image\/(webp|jpeg|png)$/);
      assert.ok((await thumbnail.arrayBuffer()).byteLength < bytes.length);
    }
  });

  test('a model that makes two at a time has two outputs, each with its own id', async () => {
    const done = await rendered(pro.call, { model: 'linework-1' });
    assert.deepEqual([done.expected_outputs, done.outputs.length], [2, 2]);
    assert.equal(new Set(done.outputs.flatMap(({ id, url }) => [id, url])).size, 4);
    const quoted = await estimate(pro.call, { model: 'linework-1' });
    assert.deepEqual([quoted.body['outputs'], quoted.body['credits']], [2, done.cost.credits]);
  });

  test('an estimate has every field', async () => {
    const { status, body } = await estimate(pro.call);
    assert.equal(status, 200);
    assertShape(shapes.estimate, body);
    const { body: balance } = await pro.call<Record<string, number>>('GET', '/v1/account/balance');
    assert.deepEqual(body, {
      object: 'estimate',
      kind: 'image',
      model: 'sketch-1',
      credits: 1,
      balance: balance['balance'],
      sufficient: true,
      outputs: 1,
    });
  });

  test('what answers success says so in application/json', async () => {
    const { headers } = await send(world.url, 'GET', '/v1/styles', { headers: { 'x-api-key': pro.key } });
    assert.match(String(headers['content-type']), /^application\/json\b/);
  });
});
