import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { Redis } from 'ioredis';
import type { Bench } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { freePort, originOf } from '../platform.ts';
import { redisArguments, tables } from './settings.ts';

const redisServer = '/usr/bin/redis-server';
const startWithinMs = 30_000;

export type Peer = AsyncDisposable & {
  url: string;
  app: Child;
  renderWorker: Child;
  redisPid: number;
  database: Database;
  /** Creates an account with a key and practically unlimited credits. */
  createAccount: () => Promise<{ id: string; key: string }>;
};

/** Returns whether Redis is installed: it comes from the system, not from npm. */
export function redisIsThere(): boolean {
  return existsSync(redisServer);
}

/** Starts the peer, with a database on the same server as ours and its own Redis. */
export async function startPeer(bench: Bench): Promise<Peer> {
  await using owners = new AsyncDisposableStack();
  const data = owners.use(await bench.cluster.createDatabase('empty'));
  for (const statement of tables.split(';')) await data.database.rows(statement);
  const directory = await mkdtemp(path.join(bench.cluster.directory, 'redis-'));
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  const redisPort = await freePort();
  const server = spawn(
    redisServer,
    ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', directory, ...redisArguments],
    { stdio: 'ignore' },
  );
  owners.defer(() => stop(server));
  await untilAnswers(redisPort);
  const port = await freePort();
  const addresses = { databaseUrl: data.url, redisPort };
  const app = owners.use(await startChild(fileOf('app.ts'), { ...addresses, port }));
  const renderWorker = owners.use(await startChild(fileOf('render-worker.ts'), addresses));
  const started = owners.move();
  return {
    url: originOf(port),
    app,
    renderWorker,
    redisPid: server.pid as number,
    database: data.database,
    createAccount: async () => {
      const [id, key] = [newId('acc_'), newId('key_')];
      await data.database.rows('insert into accounts (id, balance) values ($1, 1000000000000)', [id]);
      await data.database.rows(
        'insert into api_keys (sha256, account_id, budget) values ($1, $2, 1000000000000)',
        [createHash('sha256').update(key).digest('hex'), id],
      );
      return { id, key };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function untilAnswers(port: number): Promise<void> {
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await Promise.race([
    client.ping(),
    sleep(startWithinMs, undefined, { ref: false }).then(() => {
      throw new Error('Redis did not start within 30 s');
    }),
  ]).finally(() => client.disconnect());
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGTERM');
  await gone;
}

function fileOf(name: string): string {
  return path.join(import.meta.dirname, name);
}
