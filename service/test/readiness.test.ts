import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from './harness.ts';

let service: TestService;
before(async () => (service = await startTestService()));
after(() => service[Symbol.asyncDispose]());

const metadata = (more: object) => ({
  json: { studio_id: service.studio.studioId, issuer: `${service.studio.url}/oidc`, version: '1', ...more },
});

async function readiness(): Promise<[status: number, body: Record<string, unknown>]> {
  const { status, body } = await service.ask('/readyz');
  return [status, body];
}

test('a studio that has workers, or does not tell of them, is missed nowhere', async () => {
  for (const more of [{}, { workers_alive: 3 }]) {
    service.studio.script('getMetadata', metadata(more));
    const [status, body] = await readiness();
    assert.deepEqual([status, body['status'], body['missing']], [200, 'ready', []]);
  }
});

test('without a worker the service is degraded, and still in service', async () => {
  service.studio.script('getMetadata', metadata({ workers_alive: 0 }));
  const [status, body] = await readiness();
  assert.deepEqual([status, body['status'], body['missing']], [200, 'degraded', ['worker']]);
});

test('a studio that refuses, or hangs, is missing; what needs no studio is served', async () => {
  const key = await service.createKey();
  service.studio.script('getMetadata', {
    status: 503,
    json: { code: 'maintenance', message: 'in maintenance' },
  });
  const [status, body] = await readiness();
  assert.deepEqual([status, body['status'], body['missing']], [200, 'degraded', ['studio']]);
  const asked = Promise.withResolvers<void>();
  // The check ends by its own timeout, but /readyz does not wait for it.
  service.studio.script('getMetadata', async () => asked.resolve());
  const hanging = readiness();
  await asked.promise;
  assert.deepEqual((await hanging)[1]['missing'], ['studio']);
  assert.equal((await service.ask('/v1/generations', { key })).status, 200);
  service.studio.script('getMetadata', undefined);
});
