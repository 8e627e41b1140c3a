import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Fields, send } from './caller.ts';
import { resolve } from './json-schema.ts';
import { assertRefused, sharedWorld, type Person, type World } from './world.ts';

type Operation = {
  operationId: string;
  security: Fields[];
  parameters?: ({ name: string; in: string; required?: boolean } & Fields)[];
  responses: Record<string, { $ref?: string; content?: Fields }>;
};

const served = {
  '/v1/account': ['get'],
  '/v1/account/balance': ['get'],
  '/v1/account/limits': ['get'],
  '/v1/account/storage': ['get'],
  '/v1/key': ['get'],
  '/v1/models': ['get'],
  '/v1/models/{id}': ['get'],
  '/v1/styles': ['get'],
  '/v1/suggestions': ['get'],
  '/v1/projects': ['get', 'post'],
  '/v1/projects/{id}': ['get', 'patch', 'delete'],
  '/v1/assets': ['get'],
  '/v1/assets/images/{id}': ['get'],
  '/v1/assets/{type}/{id}': ['patch', 'delete'],
  '/v1/uploads': ['post'],
  '/v1/uploads/{id}': ['get', 'delete'],
  '/v1/images/generations': ['post'],
  '/v1/images/edits': ['post'],
  '/v1/videos/generations': ['post'],
  '/v1/videos/extend': ['post'],
  '/v1/videos/{id}/frames': ['post'],
  '/v1/estimate': ['post'],
  '/v1/generations': ['get'],
  '/v1/generations/{id}': ['get'],
  '/v1/generations/{id}/request': ['get'],
  '/v1/generations/{id}/cancel': ['post'],
  '/v1/generations/{id}/stop': ['post'],
  '/v1/events': ['get'],
  '/v1/generations/{id}/events': ['get'],
  '/v1/generations/{id}/progress': ['get'],
  '/v1/generations/{id}/previews/{index}': ['get'],
};

describe('§9 versioning, the interface description and what stands beside the API', () => {
  let world: World;
  let pro: Person;

  before(async () => {
    world = await sharedWorld();
    pro = await world.person();
  });

  const operations = () =>
    Object.entries(world.document['paths'] as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  test('the description is OpenAPI 3.1 of version 1.0.0, and tells of what is served', async () => {
    const reply = await send(world.url, 'GET', '/openapi.json');
    assert.match(String(reply.headers['content-type']), /^application\/json\b/);
    assert.match(String(reply.body['openapi']), /^3\.1\.\d+$/);
    assert.equal((reply.body['info'] as Fields)['version'], '1.0.0');
    const paths = reply.body['paths'] as Record<string, Fields>;
    const found = Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)]);
    assert.deepEqual(Object.fromEntries(found), served);
  });

  test('every reference in it leads somewhere, every path parameter is told, no operation id comes twice', () => {
    const pointers = JSON.stringify(world.document).match(/"\$ref":"[^"]+"/g) ?? [];
    for (const pointer of pointers) assert.ok(resolve(world.document, pointer.slice(8, -1)), pointer);
    const ids = operations().map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, method, operation } of operations()) {
      const parameters = (operation.parameters ?? []).map((one) =>
        typeof one['$ref'] === 'string' ? (resolve(world.document, one['$ref']) as typeof one) : one,
      );
      const told = parameters
        .filter((one) => one.in === 'path' && one.required === true)
        .map(({ name }) => name);
      assert.deepEqual(
        told,
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
        `${method} ${path}`,
      );
      assert.ok(Object.keys(operation.responses).some((status) => status.startsWith('2')));
      for (const status of ['401', '403', '429'])
        assert.ok(operation.responses[status], `${method} ${path} ${status}`);
      const ways = new Set(operation.security.flatMap((way) => Object.keys(way)));
      assert.equal(ways.size, 2, 'either header');
    }
  });

  test('another method or another spelling of a path is not found', async () => {
    for (const [path, methods] of Object.entries(served))
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options', 'propfind'])
        // A PATCH without a body gets that error first, whatever the type in its path is.
        if (!methods.includes(method) && !(method === 'patch' && path === '/v1/assets/images/{id}'))
          assertRefused(
            await pro.call(method.toUpperCase(), path.replace('{id}', 'none').replace('{type}', 'image')),
            'not_found',
          );
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/account/',
      '//v1/account',
      '/V1/account',
      '/v1/Account',
      '/v1//account',
      '/v1/./account',
      '/v1/account%2Fbalance',
      '/v1/account;a=1',
      '/v2/account',
      '/account',
      '/docs/nothing',
    ])
      assert.deepEqual(
        (await send(world.url, 'GET', path, { headers: { 'x-api-key': pro.key } })).status,
        404,
        path,
      );
  });

  test('health, readiness, metrics and the page of errors need no key', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/errors']) {
      const reply = await send(world.url, 'GET', path);
      assert.equal(reply.status, 200, path);
      assert.equal(reply.headers['x-ratelimit-limit'], undefined, path);
    }
    const metrics = await send(world.url, 'GET', '/metrics');
    assert.match(String(metrics.headers['content-type']), /^text\/plain\b/);
    assert.ok(!metrics.text.includes(pro.key.slice(0, 20)));
  });

  test('answers of the API are kept by no cache and read as nothing else', async () => {
    const { headers } = await pro.call('GET', '/v1/account');
    assert.equal(headers['x-powered-by'], undefined);
    assert.match(headers['cache-control'] ?? 'no-store', /no-store|private|no-cache/);
  });
});
