import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { createKey } from '../src/operator.ts';
import { type Answer, type Ask, askAt } from './harness.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const readyWithinMs = 20_000;

export type RunningChild = AsyncDisposable & { url: string; child: ChildProcess };

/** The real studio and any number of services as processes of their own, and the operator's commands. */
export type RealStudio = AsyncDisposable & {
  /** The service's database. */
  database: Database;
  startService: (options?: { crashPoint?: string; egressAllow?: string }) => Promise<RunningChild>;
  /** What renders, and checks uploads. */
  startWorker: () => Promise<RunningChild>;
  /** Runs an operator command and reads what it answers. */
  operator: (...words: string[]) => Promise<Record<string, unknown>>;
  /** An account with a key of every scope. */
  newAccount: (email: string, ...more: string[]) => Promise<{ email: string; key: string }>;
};

export async function startRealStudio(): Promise<RealStudio> {
  await using owned = new AsyncDisposableStack();
  const service = owned.use(await createTestDatabase('service'));
  const studio = owned.use(await createTestDatabase('studio'));
  const directory = await mkdtemp(path.join(tmpdir(), 'real-studio-'));
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  const shared = {
    PATH: process.env['PATH'] ?? '',
    // Nearly halves the start of each of many processes.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(tmpdir(), 'renderkit-compile-cache'),
    DATA_DIR: directory,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    STUDIO_CLIENT_ID: 'renderkit-service',
    STUDIO_CLIENT_SECRET: 'a secret for tests only',
  };
  const databases = { DATABASE_URL: service.url, STUDIO_DATABASE_URL: studio.url };
  const secret = { SECRET_KEY: '5e'.repeat(32) };
  const upstream = owned.use(
    await startChild('studio/src/main.ts', { ...shared, STUDIO_DATABASE_URL: studio.url, STUDIO_PORT: '0' }),
  );
  const operator: RealStudio['operator'] = async (...words) => {
    const file = path.join(root, 'stack/src/operator/main.ts');
    const env = { ...shared, ...databases, ...secret };
    const { stdout } = await run(process.execPath, [file, ...words, '--json'], { env, cwd: root });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const ours = owned.move();
  return {
    database: service.database,
    operator,
    startWorker: () => startChild('studio/src/worker.ts', { ...shared, STUDIO_DATABASE_URL: studio.url }),
    startService: ({ crashPoint, egressAllow } = {}) =>
      startChild(
        crashPoint === undefined ? 'service/src/main.ts' : 'service/test/crash-entry.ts',
        {
          ...shared,
          ...secret,
          DATABASE_URL: service.url,
          PORT: '0',
          STUDIO_URL: upstream.url,
          ...(egressAllow !== undefined && { EGRESS_ALLOW: egressAllow }),
        },
        crashPoint === undefined ? [] : [crashPoint],
      ),
    newAccount: async (email, ...more) => {
      await operator('account', 'create', '--email', email, ...more);
      const { key } = await createKey(service.database, {
        accountEmail: email,
        name: 'test',
        rateLimitPerMinute: 100_000,
      });
      return { email, key };
    },
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}

/** Asks one of the services. */
export async function askChild<Body = Record<string, unknown>>(
  service: RunningChild,
  route: string,
  asked: Ask,
): Promise<Answer<Body>> {
  return askAt<Body>(service.url, route, asked);
}

async function startChild(
  entry: string,
  env: Record<string, string>,
  parameters: string[] = [],
): Promise<RunningChild> {
  const child = fork(path.join(root, entry), parameters, {
    env,
    cwd: root,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const late = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: { type?: string; url?: string }) => {
      if (message.type === 'ready') resolve(message.url ?? '');
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`${entry} ended by ${signal ?? code} before it was ready`)),
    );
  });
  clearTimeout(late);
  return {
    url,
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}
