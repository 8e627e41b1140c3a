import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { inheritedEnvironment, type Part, startPart } from '@renderkit/server-kit/testing/part.ts';
import { createKey } from '../src/operator.ts';
import { type Answer, type Ask, askAt } from './harness.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The real studio and any number of services, each as a separate process, and the operator's commands. */
export type RealStudio = AsyncDisposable & {
  /** The service's database. */
  database: Database;
  startService: (options?: { crashPoint?: string; egressAllow?: string }) => Promise<Part>;
  /** Starts the process that renders and checks uploads. */
  startWorker: () => Promise<Part>;
  /** Runs an operator command and returns its output. */
  operator: (...words: string[]) => Promise<Record<string, unknown>>;
  /** Makes an account with a key that has every scope. */
  newAccount: (email: string, ...more: string[]) => Promise<{ email: string; key: string }>;
};

export async function startRealStudio(): Promise<RealStudio> {
  await using owned = new AsyncDisposableStack();
  const service = owned.use(await createTestDatabase('service'));
  const studio = owned.use(await createTestDatabase('studio'));
  const directory = await mkdtemp(path.join(tmpdir(), 'real-studio-'));
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  const shared = {
    DATA_DIR: directory,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    STUDIO_CLIENT_ID: 'renderkit-service',
    STUDIO_CLIENT_SECRET: 'a secret for tests only',
    SECRET_KEY: '5e'.repeat(32),
  };
  const databases = { DATABASE_URL: service.url, STUDIO_DATABASE_URL: studio.url };
  const start = (
    name: string,
    file: string,
    environment: Record<string, string>,
    parameters: string[] = [],
  ) =>
    startPart({
      name,
      entry: path.join(root, file),
      arguments: parameters,
      environment: { ...shared, ...environment },
    });
  const upstream = owned.use(
    await start('studio', 'studio/src/main.ts', { STUDIO_DATABASE_URL: studio.url, STUDIO_PORT: '0' }),
  );
  const operator: RealStudio['operator'] = async (...words) => {
    const file = programFile(path.join(root, 'stack/src/operator/main.ts'));
    const env = { ...inheritedEnvironment(), ...shared, ...databases };
    const { stdout } = await run(process.execPath, [file, ...words, '--json'], { env, cwd: root });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const ours = owned.move();
  return {
    database: service.database,
    operator,
    startWorker: () => start('worker', 'studio/src/worker.ts', { STUDIO_DATABASE_URL: studio.url }),
    startService: ({ crashPoint, egressAllow } = {}) =>
      start(
        'service',
        crashPoint === undefined ? 'service/src/main.ts' : 'service/test/crash-entry.ts',
        {
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

/** Calls one of the services. */
export async function askChild<Body = Record<string, unknown>>(
  service: Part,
  route: string,
  asked: Ask,
): Promise<Answer<Body>> {
  return askAt<Body>(service.url, route, asked);
}
