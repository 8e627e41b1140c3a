// For each alert of deploy/prometheus/alerts.yaml, causes its problem on a running platform, and repairs it again.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { mountSmallDisk, noSmallDisk } from '@renderkit/server-kit/testing/small-disk.ts';
import { startTcpProxy, type TcpProxy } from '@renderkit/server-kit/testing/tcp-proxy.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { mediaEnvironment } from '@renderkit/blob-storage/testing/test-media.ts';
import { type Platform, type PlatformAccount, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { type ChaosComfyui, startChaosComfyui } from './chaos/comfyui.ts';
import { freePort } from './harness/free-port.ts';
import { type Prometheus, startPrometheus, unlessPrometheus } from './harness/prometheus.ts';

const token = 'a-token-of-the-tests';
/** For a busy machine. On an idle one an alert takes some seconds, or two minutes when a loop must first be stuck. */
const patience = { withinMs: 600_000, everyMs: 250 };
const proven = new Set<string>();

describe('alerts', { skip: unlessPrometheus || noSmallDisk() }, () => {
  const owned = new AsyncDisposableStack();
  let databases: Record<'service' | 'studio', TestDatabase>;
  let ways: TcpProxy[];
  let wayToBucket: TcpProxy;
  let platform: Platform;
  let prometheus: Prometheus;
  let comfyui: ChaosComfyui;
  let person: PlatformAccount;
  let key: string;
  let receiver: Server;
  let receiverStatus = 204;

  before(async () => {
    databases = {
      service: owned.use(await createTestDatabase('service')),
      studio: owned.use(await createTestDatabase('studio')),
    };
    const [service, studio] = [
      owned.use(await startTcpProxy(databases.service.url)),
      owned.use(await startTcpProxy(databases.studio.url)),
    ];
    ways = [service, studio];
    const bucket = owned.use(await startS3Counterpart());
    wayToBucket = owned.use(await startTcpProxy(bucket.config.endpoint));
    const workerPort = await freePort();
    platform = owned.use(
      await startPlatform({
        databases: { service: service.url, studio: studio.url },
        environment: {
          ...mediaEnvironment({ s3: { ...bucket.config, endpoint: new URL(wayToBucket.url).origin } }),
          EGRESS_ALLOW: '127.0.0.0/8',
          METRICS_TOKEN: token,
          WORKER_PORT: String(workerPort),
          DATABASE_POOL: '5',
        },
      }),
    );
    person = await platform.createAccount({ tier: 'free', credits: 1_000 });
    key = await platform.createKey(person);
    comfyui = owned.use(await startChaosComfyui(platform, key));
    receiver = createServer((_, response) => response.writeHead(receiverStatus).end());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    owned.defer(() => void receiver.close());
    prometheus = owned.use(
      await startPrometheus(platform.directory, {
        token,
        changes: [
          ['/etc/prometheus/renderkit-metrics-token', path.join(platform.directory, 'prometheus/token')],
          ['service.internal:8787', new URL(platform.serviceUrls[0] ?? '').host],
          ['studio.internal:8788', new URL(platform.studioUrl).host],
          ['worker.internal:8789', `127.0.0.1:${workerPort}`],
          // The longest that a loop pauses is a minute.
          ['good_round > 600', 'good_round > 90'],
          ['[10m]', '[30s]'],
        ],
      }),
    );
    await until('nothing fires at first', async () => (await prometheus.firing()).size === 0, patience);
  });
  after(() => owned.disposeAsync());

  /** Causes a problem, waits until all of the alerts fire, repairs it, and waits until none of them fires. */
  async function prove(
    alerts: readonly string[],
    cause: () => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    const told = async () => {
      const firing = await prometheus.firing();
      return alerts.filter((name) => firing.has(name));
    };
    assert.deepEqual(await told(), []);
    const mend = await cause();
    try {
      await until(`${alerts.join(', ')} fire`, async () => (await told()).length === alerts.length, patience);
    } finally {
      await mend();
    }
    await until(`${alerts.join(', ')} resolve`, async () => (await told()).length === 0, patience);
    for (const name of alerts) proven.add(name);
  }

  const ask = async (method: string, route: string, body?: unknown) => {
    const response = await fetch(`${platform.serviceUrls[0]}${route}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.body?.cancel();
    return response.status;
  };
  const create = async () =>
    assert.equal(await ask('POST', '/v1/images/generations', { model: 'sketch-1', prompt: 'a lake' }), 202);
  /** Repeats a request, `atOnce` at the same time, until it is ended. */
  const keepAsking = (route: string, atOnce: number) => {
    const state = { ended: false };
    const loops = Array.from({ length: atOnce }, async () => {
      while (!state.ended) {
        await ask('GET', route).catch(() => undefined);
        await sleep(100);
      }
    });
    return async () => {
      state.ended = true;
      await Promise.all(loops);
    };
  };

  test('a worker that is gone: the part, no worker, and what grows old in both queues', () =>
    prove(
      ['RenderkitPartDown', 'RenderkitNoWorker', 'RenderkitQueueOld', 'RenderkitGenerationsOld'],
      async () => {
        const [worker] = platform.workers;
        await worker?.kill();
        // More than a free plan may run at the studio at once.
        for (let n = 0; n < 6; n++) await create();
        const { service, studio } = databases;
        await until(
          'a render waits at the studio',
          async () => {
            const moved = await studio.database.execute(
              `update renders set accepted_at = clock() - interval '20 minutes' where status = 'queued'`,
            );
            return moved > 0;
          },
          patience,
        );
        await service.database.execute(
          `update generations set created_at = clock() - interval '2 hours' where status = 'queued'`,
        );
        return async () => worker?.start();
      },
    ));

  test('a loop that cannot end a round well', () =>
    prove(['RenderkitLoopStands'], async () => {
      const { database } = databases.studio;
      await database.rows('alter table backends rename to backends_of_another_day');
      return () => database.rows('alter table backends_of_another_day rename to backends');
    }));

  test('a database that is away, and the requests that it fails', () =>
    prove(['RenderkitDatabaseDown', 'RenderkitErrors'], async () => {
      for (const way of ways) way.cut();
      const end = keepAsking('/v1/account/balance', 2);
      return async () => {
        for (const way of ways) way.mend();
        await end();
      };
    }));

  test('requests that wait for a connection', () =>
    prove(['RenderkitDatabasePoolFull'], async () => {
      const locked = Promise.withResolvers<void>();
      const mended = Promise.withResolvers<void>();
      const holding = databases.service.database.transaction(async (transaction) => {
        // The lock may wait, and be held, for any time.
        await transaction.rows('set local lock_timeout = 0');
        await transaction.rows('set local statement_timeout = 0');
        await transaction.rows('set local idle_in_transaction_session_timeout = 0');
        await transaction.rows('lock table generations in access exclusive mode');
        locked.resolve();
        await mended.promise;
      });
      await Promise.race([locked.promise, holding]);
      const end = keepAsking('/v1/generations?limit=1', 20);
      return async () => {
        mended.resolve();
        await holding;
        await end();
      };
    }));

  test('a backend that does not answer', () =>
    prove(['RenderkitBackendDown'], async () => {
      await comfyui.part.kill();
      return async () => {
        await comfyui.part.start();
        await comfyui.resume();
      };
    }));

  test('an endpoint of webhooks that takes nothing', () =>
    prove(['RenderkitWebhooksFailing'], async () => {
      receiverStatus = 500;
      const { port } = receiver.address() as AddressInfo;
      await platform.createWebhook(person, `http://127.0.0.1:${port}/hook`);
      await create();
      return async () => {
        receiverStatus = 204;
        await create();
      };
    }));

  test('a disk with little room', () =>
    prove(['RenderkitDiskNearlyFull'], async () => {
      const disk = await mountSmallDisk({
        megabytes: 64,
        // When media are in a bucket, each part has its own data directory.
        over: path.join(platform.directory, 'data-of-studio'),
      });
      return async () => {
        await disk[Symbol.asyncDispose]();
      };
    }));

  test('a bucket that is away', () =>
    prove(['RenderkitMediaDown'], async () => {
      wayToBucket.cut();
      return async () => wayToBucket.mend();
    }));

  test('no alert of the file was left out', async () => {
    const rules = await readFile(path.join(import.meta.dirname, '../deploy/prometheus/alerts.yaml'), 'utf8');
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    assert.deepEqual([...proven].sort(), names.sort());
  });
});
