import { randomBytes } from 'node:crypto';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { type RunningService, startService } from '../src/app.ts';
import type { ServiceConfig } from '../src/config.ts';
import { connectAccount, createKey } from '../src/operator.ts';
import type { TestHooks } from '../src/test-hooks.ts';
import { assertPromised } from './assert-promised.ts';
import { type ScriptedStudio, startScriptedStudio } from './scripted-studio.ts';

export const docsUrl = 'https://renderkit.test/docs';

export type Answer<Body = unknown> = { status: number; headers: Headers; body: Body; text: string };

export type Ask = {
  key?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown;
};

export type TestService = AsyncDisposable & {
  url: string;
  databaseUrl: string;
  database: Database;
  studio: ScriptedStudio;
  accountId: string;
  /** Lines that the service logged. */
  logged: string[];
  /** Starts a service like another process on the same database. */
  startAnother: (testHooks?: TestHooks, config?: Partial<ServiceConfig>) => Promise<RunningService>;
  /** Connects an account of the studio: by default a new one. For a connected account, gives it a new session. */
  connectAccount: (studioAccountId?: string) => Promise<string>;
  createKey: (more?: {
    accountId?: string;
    scopes?: Scope[];
    rateLimitPerMinute?: number;
  }) => Promise<string>;
  ask: <Body = Record<string, unknown>>(path: string, ask?: Ask) => Promise<Answer<Body>>;
  refusal: (path: string, ask?: Ask) => Promise<Answer<Problem>>;
  addGeneration: (more?: { accountId?: string; status?: string }) => Promise<string>;
};

/** Starts a service in this process, with its own database and a scripted studio with one connected account. */
export async function startTestService({
  config: changes,
  ...testHooks
}: TestHooks & { config?: Partial<ServiceConfig> } = {}): Promise<TestService> {
  await using owned = new AsyncDisposableStack();
  const db = owned.use(await createTestDatabase('service'));
  const studio = owned.use(await startScriptedStudio());
  const logged: string[] = [];
  const log = createLogger({
    part: 'service',
    level: 'info',
    destination: { write: (line) => logged.push(line) },
  });
  const config = configOf(db.url, studio.url, changes);
  const start = (more: TestHooks = {}, other: Partial<ServiceConfig> = {}) =>
    startService({ ...config, ...other }, { log, testHooks: { ...testHooks, ...more } });
  const service = owned.use(await start());
  const connect = async (studioAccountId = newId('stu_')) => {
    const { accountId } = await connectAccount(db.database, config.secretKey, {
      studioId: studio.studioId,
      studioAccountId,
      email: `${studioAccountId}@example.org`,
      refreshToken: studio.newSession(),
    });
    return accountId;
  };
  const accountId = await connect(studio.account.id);
  const ask = <Body>(path: string, asked: Ask = {}) => askAt<Body>(service.url, path, asked);
  const ours = owned.move();
  return {
    url: service.url,
    databaseUrl: db.url,
    database: db.database,
    studio,
    accountId,
    logged,
    startAnother: start,
    connectAccount: connect,
    createKey: async (more = {}) =>
      (await createKey(db.database, { accountId, name: 'test', rateLimitPerMinute: 1_000_000, ...more })).key,
    ask,
    refusal: ask,
    addGeneration: (more = {}) => addGeneration(db.database, { accountId, ...more }),
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}

/** Calls a service and reads the whole answer, which must match the OpenAPI document. */
export async function askAt<Body>(url: string, path: string, asked: Ask = {}): Promise<Answer<Body>> {
  const { key, body, method = body === undefined ? 'GET' : 'POST' } = asked;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as string }),
    redirect: 'manual',
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
  const told = {
    status: answer.status,
    headers: answer.headers,
    text,
    body: (isJson ? JSON.parse(text) : text) as Body,
  };
  if (path.startsWith('/v1/')) assertPromised(method, path, told);
  return told;
}

function configOf(databaseUrl: string, studioUrl: string, more: Partial<ServiceConfig> = {}): ServiceConfig {
  return {
    databaseUrl,
    databasePool: 10,
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'https://renderkit.test',
    studioUrl,
    studioPublicUrl: studioUrl,
    studioClientId: 'service',
    studioClientSecret: 'the secret of the client',
    secretKey: randomBytes(32),
    egressAllow: [],
    trustProxy: [],
    metricsToken: undefined,
    queueCap: 1_000,
    facades: ['openai', 'a1111'],
    holdSeconds: 600,
    facadeHeartbeatAfterSeconds: 45,
    logLevel: 'info',
    docsUrl,
    consoleDirectory: '/nowhere',
    ...more,
  };
}

/** Inserts a finished generation, as if it had been rendered. */
async function addGeneration(
  database: Database,
  { accountId, status = 'succeeded' }: { accountId: string; status?: string },
): Promise<string> {
  const id = newId('gen_');
  const output = {
    id: newId('out_'),
    type: 'image',
    url: 'https://studio.example/media/k3/picture.png',
    thumb_url: null,
    width: 64,
    height: 64,
    duration: null,
    nsfw: false,
    request_id: 1,
  };
  await database.rows(
    `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                              outputs, budget_day, submitted_at, completed_at)
     values ($1, $2, 'key', 'image', 'image', $3, 'plain', 4000, 1, $4, current_date, clock(), clock())`,
    [id, accountId, status, JSON.stringify([output])],
  );
  return id;
}
