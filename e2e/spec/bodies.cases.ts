import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertRefused, draft, type List, sharedWorld, type Person, type World } from './world.ts';

describe('§4 bodies that are not what they should be', () => {
  let world: World;
  let pro: Person;

  before(async () => {
    world = await sharedWorld();
    pro = await world.person();
  });

  const routes = ['/v1/images/generations', '/v1/estimate', '/v1/projects'];
  const post = (path: string, raw: string | Uint8Array, headers: Record<string, string | string[]> = {}) =>
    pro.call('POST', path, { raw, headers: { 'content-type': 'application/json', ...headers } });
  const bodies: Record<string, string | Uint8Array> = {
    'a name twice': '{"prompt":"a","prompt":"b"}',
    'a name twice, escaped': '{"prompt":"a","pr\\u006fmpt":"b"}',
    'a name twice further in': '{"prompt":"a","metadata":{"a":"1","a":"2"}}',
    'U+0000 in a text': '{"prompt":"a\\u0000b"}',
    'U+0000 in a name': '{"metadata":{"a\\u0000":"b"}}',
    'a lone surrogate': '{"prompt":"a\\ud800"}',
    'a lone low surrogate in a name': '{"metadata":{"\\udc00":"b"}}',
    __proto__: '{"__proto__":{"model":"sketch-1"},"prompt":"a"}',
    '__proto__ further in': '{"metadata":{"__proto__":"x"}}',
    '__proto__ escaped': '{"options":{"\\u005f_proto__":1}}',
    'a number beyond numbers': '{"prompt":"a","cfg":1e400}',
    'not UTF-8': Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    'a list': '[{"prompt":"a"}]',
    'a text': '"prompt"',
    null: 'null',
    'not JSON': 'prompt=a',
    'half of it': '{"prompt":"a"',
    'something behind it': '{"prompt":"a"}{}',
    NaN: '{"cfg":NaN}',
    'raw line break in a text': '{"prompt":"a\nb"}',
    'very deep': `{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'far too large': `{"prompt":"${'a'.repeat(300_000)}"}`,
  };

  for (const [name, raw] of Object.entries(bodies))
    test(`${name} is refused as invalid`, async () => {
      for (const path of routes) assertRefused(await post(path, raw), 'invalid_request');
    });

  test('no body at all is refused where one is needed', async () => {
    for (const path of routes.slice(0, 2)) {
      assertRefused(await pro.call('POST', path), 'invalid_request');
      assertRefused(await post(path, ''), 'invalid_request');
    }
  });

  test('only application/json is taken, with or without its character set', async () => {
    const raw = JSON.stringify(draft);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/json5',
      'json',
      '',
    ])
      assertRefused(await post('/v1/images/generations', raw, { 'content-type': type }), 'invalid_request');
    assertRefused(await pro.call('POST', '/v1/images/generations', { raw }), 'invalid_request');
    assertRefused(
      await post('/v1/images/generations', raw, { 'content-encoding': 'gzip' }),
      'invalid_request',
    );
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON'])
      assert.equal((await post('/v1/images/generations', raw, { 'content-type': type })).status, 202, type);
  });

  test('of all this nothing was generated or charged but what was accepted', async () => {
    const { body } = await pro.call<List>('GET', '/v1/generations');
    assert.equal(body.data.length, 3);
  });
});
