import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Call, type Fields } from './caller.ts';
import { ended, type Generation, sharedWorld, type World } from './world.ts';

type Asked = { path: string; body: Fields; seed: number; model_version: number; repeat: Fields };

describe('§4 the request of a generation', () => {
  let world: World;

  before(async () => {
    world = await sharedWorld();
  });

  const drawn = async (call: Call, fields: Fields): Promise<Generation> => {
    const made = await call<Generation>('POST', '/v1/images/generations', { body: fields });
    assert.equal(made.status, 202, made.text);
    return ended(call, made.body.id);
  };
  const requestOf = async (call: Call, { id }: Generation) =>
    (await call<Asked>('GET', `/v1/generations/${id}/request`)).body;
  const bytesOf = ({ outputs }: Generation) =>
    Promise.all(outputs.map(async ({ url }) => Buffer.from(await (await fetch(url)).arrayBuffer())));

  test('what was drawn from a seed that nobody chose is made again, byte for byte', async () => {
    const { call } = await world.person();
    const sent = { model: 'sketch-1', prompt: 'a calm lake at dawn', metadata: { order: '4711' } };
    const first = await drawn(call, sent);
    const asked = await requestOf(call, first);
    assert.deepEqual([asked.path, asked.body], ['/v1/images/generations', sent]);
    assert.ok(asked.seed >= 0 && asked.model_version >= 1, JSON.stringify(asked));
    const again = await drawn(call, asked.repeat);
    assert.deepEqual(await bytesOf(again), await bytesOf(first));
    const { options, ...repeated } = await requestOf(call, again).then(({ body }) => body);
    assert.equal((options as Fields)['seed'], asked.seed);
    for (const [name, value] of Object.entries(sent)) assert.deepEqual(repeated[name], value, name);
    assert.notDeepEqual(await bytesOf(await drawn(call, sent)), await bytesOf(first));
  });

  test('it is told to its own account alone', async () => {
    const [one, other] = await Promise.all([world.person(), world.person()]);
    const { id } = await drawn(one.call, { model: 'sketch-1', prompt: 'mine' });
    for (const [call, path] of [
      [other.call, id],
      [one.call, `gen_${'0'.repeat(26)}`],
    ] as const)
      assert.equal((await call('GET', `/v1/generations/${path}/request`)).status, 404);
  });
});
