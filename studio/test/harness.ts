import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { ProgressRequest } from '@renderkit/contract/studio/progress.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Engine } from '@renderkit/engine-kit/engine.ts';
import { type FileLimits, fileLimits } from '@renderkit/media-kit/file-limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLogger, type Logger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { share } from '@renderkit/server-kit/testing/share.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startStudio, type StudioTestArguments } from '@renderkit/studio/app.ts';
import { clean } from '@renderkit/studio/clean.ts';
import type { StudioConfig, WorkerConfig } from '@renderkit/studio/config.ts';
import { openEngines } from '@renderkit/engine-registry/open-engines.ts';
import { createAccount, grantForService, type NewStudioAccount } from '@renderkit/studio/operator.ts';
import type { Pauses } from '@renderkit/studio/renders/job.ts';
import { startWorker } from '@renderkit/studio/start-worker.ts';
import { openStorage, type MediaLocation } from '@renderkit/blob-storage/open-storage.ts';
import { reconcileMedia } from '@renderkit/studio/storage/reconcile-media.ts';
import { listMediaKeys, openTestMedia } from '@renderkit/blob-storage/testing/test-media.ts';
import { type Answer, type UploadCalls, uploadCalls } from './upload-calls.ts';

export const client = { id: 'renderkit-service', secret: 'a secret for tests only' };

export type TestStudio = AsyncDisposable & {
  url: string;
  databaseUrl: string;
  database: Database;
  dataDirectory: string;
  /** Where media are kept, as configured for the test run: on the disk, or in this studio's bucket. */
  mediaLocation: MediaLocation;
  /** Returns the keys of all stored files, including unfinished ones. */
  mediaKeys: () => Promise<string[]>;
  /** Creates an account with a grant for the client and a first access token. */
  connect: (account?: Partial<NewStudioAccount>) => Promise<TestAccount>;
  /** Runs one round of cleaning up now, and a reconciliation if one is due. */
  clean: () => Promise<void>;
  startWorker: (options?: {
    engines?: Engine[];
    workers?: number;
    labels?: string[];
    /** The port of the worker's health; without a port, it is not served. */
    port?: number;
    crashPoint?: (name: string) => void | Promise<void>;
    pauses?: Partial<Pauses>;
  }) => Promise<AsyncDisposable>;
};

/** The key of studios and workers that get no other. */
export const testSecretKey = Buffer.alloc(32, 7);

const ordinaryConfig: Omit<StudioConfig, 'databaseUrl' | 'dataDirectory'> = {
  databasePool: 10,
  host: '127.0.0.1',
  port: 0,
  publicUrl: undefined,
  client: {
    ...client,
    name: 'Renderkit',
    url: undefined,
    signInUrl: undefined,
    redirectUris: [],
    logoutUris: [],
  },
  signUp: 'closed',
  fileLimits,
  secretKey: testSecretKey,
  egressAllow: [],
  metricsToken: undefined,
  variables: {},
  mediaDelivery: 'proxy',
  mediaGraceSeconds: 172_800,
  logLevel: 'silent',
  trustProxy: [],
};

const ordinaryWorker = {
  secretKey: testSecretKey,
  egressAllow: [] as string[],
  host: '127.0.0.1',
  metricsToken: undefined,
  logLevel: 'silent',
} as const satisfies Partial<WorkerConfig>;

/** More than any of these studios draws at once. */
const drawnAtOnce = 4;

/**
 * The engines of the workers, shared: starting a process and drawing its first picture costs more than everything that
 * a test draws.
 */
const drawing = share(async () => {
  const owners = new AsyncDisposableStack();
  const engines = openEngines(drawnAtOnce, owners);
  return { engines, [Symbol.asyncDispose]: () => owners.disposeAsync() };
});

function workerOptions({
  workers = 1,
  labels = [],
  port,
}: NonNullable<Parameters<TestStudio['startWorker']>[0]>) {
  return { workers, labels, port };
}

/**
 * Starts a studio with a new database and directory in this process, with a worker unless `worker` is `false`. Workers
 * draw in processes that all test files of this process share.
 */
export async function startTestStudio(
  options: {
    worker?: boolean;
    engines?: Engine[];
    workers?: number;
    fileLimits?: FileLimits;
    config?: Partial<StudioConfig>;
    testArguments?: StudioTestArguments;
  } = {},
): Promise<TestStudio> {
  await using owners = new AsyncDisposableStack();
  const { url: databaseUrl, database } = owners.use(await createTestDatabase('studio'));
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'studio-test-'));
  owners.defer(() => rm(dataDirectory, { recursive: true, force: true }));
  const given = options.config;
  const s3 = given !== undefined && 's3' in given ? given.s3 : await openTestMedia(owners);
  const log = createLogger({
    part: 'test',
    level: process.env['TEST_LOG'] === undefined ? 'silent' : 'debug',
  });
  const config = {
    ...ordinaryConfig,
    ...options.config,
    ...(options.fileLimits && { fileLimits: options.fileLimits }),
    databaseUrl,
    dataDirectory,
    s3,
  };
  const studio = owners.use(await startStudio(config, { log, ...options.testArguments }));
  const newWorker = async (more: Parameters<TestStudio['startWorker']>[0] = {}) =>
    startWorker(
      { ...ordinaryWorker, databaseUrl, dataDirectory, s3, ...workerOptions(more) },
      {
        log,
        engines: more.engines ?? (await drawing()).engines,
        ...(more.crashPoint && { crashPoint: more.crashPoint }),
        ...(more.pauses && { pauses: more.pauses }),
      },
    );
  if (options.worker !== false)
    owners.use(
      await newWorker({
        ...(options.engines && { engines: options.engines }),
        ...(options.workers !== undefined && { workers: options.workers }),
      }),
    );
  const started = owners.move();
  let accounts = 0;
  return {
    url: studio.url,
    databaseUrl,
    database,
    dataDirectory,
    mediaLocation: { dataDirectory, s3 },
    mediaKeys: () => listMediaKeys({ dataDirectory, s3 }),
    startWorker: newWorker,
    clean: () => cleanNow(config, { database, log }),
    connect: async (account = {}) => {
      const email = account.email ?? `person${++accounts}@example.org`;
      const { id } = await createAccount(database, { ...account, email });
      const { refreshToken } = await grantForService(database, email, client.id);
      const tokens = await refresh(studio.url, refreshToken);
      return createTestAccount(studio.url, { id, email, ...tokens });
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function cleanNow(
  config: MediaLocation & { mediaGraceSeconds: number },
  { database, log }: { database: Database; log: Logger },
): Promise<void> {
  await using storage = await openStorage(config);
  const announce = () => undefined;
  await clean({ database, storage, announce, log }, new AbortController().signal);
  await reconcileMedia({ database, storage, log }, config.mediaGraceSeconds);
}

export type Tokens = { accessToken: string; refreshToken: string };

/** Exchanges a refresh token for the next pair. Throws an error with the status and the OAuth error otherwise. */
export async function refresh(studioUrl: string, refreshToken: string): Promise<Tokens> {
  const response = await fetch(`${studioUrl}/oidc/token`, {
    method: 'POST',
    headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  });
  const body = (await response.json()) as Record<string, string>;
  if (!response.ok) throw new Error(`${response.status} ${body['error']}`);
  return { accessToken: body['access_token'] ?? '', refreshToken: body['refresh_token'] ?? '' };
}

export function basic(): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`;
}

export type TestAccount = Tokens &
  UploadCalls & {
    id: string;
    email: string;
    /** Makes one call with the account's token. */
    call: <T>(
      method: string,
      route: string,
      body?: unknown,
      headers?: Record<string, string>,
    ) => Promise<Answer<T>>;
    quote: (
      request?: Partial<RenderRequest>,
      moderate?: boolean,
      coming?: string[],
    ) => Promise<StudioAnswer<'createQuotes'>['results'][0]>;
    /** Requests a quote and submits the render. */
    submit: (token: string, request?: Partial<RenderRequest>) => Promise<StudioAnswer<'submitRender'>>;
    balance: () => Promise<StudioAnswer<'getBalance'>>;
    /** Waits for the render's end: a busy machine may need minutes for a video. */
    finished: (token: string) => Promise<StudioAnswer<'getRender'>>;
  };

export const request = (more: Partial<RenderRequest> = {}): RenderRequest => ({
  kind: 'image',
  model: 'sketch-1',
  project_id: null,
  prompt: 'a lighthouse at sunset',
  styles: [],
  suggestions: [],
  options: {},
  aspect_ratio: '1:1',
  reference_images: [],
  ...more,
});

function createTestAccount(url: string, account: { id: string; email: string } & Tokens): TestAccount {
  const call: TestAccount['call'] = async <T>(
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(url + route, {
      method,
      headers: {
        authorization: `Bearer ${account.accessToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
      headers: response.headers,
    };
  };
  const quote: TestAccount['quote'] = async (more = {}, moderate = true, coming = []) => {
    const { body } = await call<StudioAnswer<'createQuotes'>>('POST', '/api/quotes', {
      quotes: [{ request: request(more), moderate, coming }],
    });
    const [result] = body.results;
    if (result === undefined) throw new Error('no quote');
    return result;
  };
  return {
    ...account,
    call,
    quote,
    submit: async (token, more = {}) => {
      const { quote: text } = await quote(more);
      const { body } = await call<StudioAnswer<'submitRender'>>('PUT', `/api/renders/${token}`, {
        quote: text ?? 'none',
        request: request(more),
      });
      return body;
    },
    ...uploadCalls(url, account.accessToken, call),
    balance: async () => (await call<StudioAnswer<'getBalance'>>('GET', '/api/balance')).body,
    finished: async (token) => {
      for (let i = 0; i < 3_000; i++) {
        const { body } = await call<StudioAnswer<'getRender'>>('GET', `/api/renders/${token}`);
        if (body.status === 'succeeded' || body.status === 'failed') return body;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`${token} did not end within five minutes`);
    },
  };
}

/** Waits until the studio offers a published model: the studio may need two seconds to notice it. */
export async function untilOffered(account: TestAccount, model: string): Promise<void> {
  await until(model, async () => {
    const { body } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
    return body.models.some(({ id }) => id === model);
  });
}

/** Waits until a statement finds a row. */
export async function untilFound(database: Database, statement: string): Promise<void> {
  await until(statement, async () => (await database.execute(statement)) > 0);
}

/** Makes one call for the progress of renders, as the client. */
export async function readProgress(
  url: string,
  renders: ProgressRequest['renders'],
  waitSeconds = 0,
): Promise<StudioAnswer<'readProgress'>> {
  const response = await fetch(`${url}/api/progress`, {
    method: 'POST',
    headers: { authorization: basic(), 'content-type': 'application/json' },
    body: JSON.stringify({ renders, wait_seconds: waitSeconds }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as StudioAnswer<'readProgress'>;
}

/** Makes one call of the feed, as the client. */
export async function readChanges(
  url: string,
  accounts: { account: string; cursor: number }[],
  waitSeconds = 0,
): Promise<StudioAnswer<'readChanges'>['accounts']> {
  const response = await fetch(`${url}/api/changes`, {
    method: 'POST',
    headers: { authorization: basic(), 'content-type': 'application/json' },
    body: JSON.stringify({ accounts, wait_seconds: waitSeconds }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as StudioAnswer<'readChanges'>).accounts;
}
