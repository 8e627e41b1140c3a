import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { administrationOperations } from '@renderkit/contract/studio/administration/operations.ts';
import { type StudioOperationId, studioOperations } from '@renderkit/contract/studio/operations.ts';
import { priceOf } from '@renderkit/contract/studio/price.ts';
import type { StudioAccount, StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import type { Catalog, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type {
  QuoteResult,
  QuotesRequest,
  SharedQuotesRequest,
} from '@renderkit/contract/studio/schemas/render.ts';
import { exampleCatalog } from './example-catalog.ts';
import { answerOfLibrary } from './example-library.ts';
import { createScriptedIssuer, type ScriptedIssuer } from './scripted-issuer.ts';
import { answerOfUploads, createScriptedUploads, type ScriptedUploads } from './scripted-uploads.ts';

/** What a script does with one request: returns an answer, or handles the socket itself. */
export type Scripted =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>);

type Seen = {
  operation: string;
  authorization: string | undefined;
  url: string;
  body: string;
  at: number;
};

/** An operation of the contract, a file, or an operation of the issuer. */
type Scriptable = StudioOperationId | 'media' | 'token' | 'discovery' | 'userinfo';

/**
 * A studio that follows the contract. A test may replace each answer, because the real studio cannot be made to answer
 * nonsense.
 */
export type ScriptedStudio = AsyncDisposable & {
  url: string;
  studioId: string;
  seen: Seen[];
  account: StudioAccount;
  balance: StudioBalance;
  catalog: Catalog;
  /** Replaces the answers to an operation (or to one of the issuer). `undefined` restores them. */
  script: (operation: Scriptable, answer: Scripted | undefined) => void;
  /** Replaces only the next answer. */
  scriptOnce: (operation: Scriptable, answer: Scripted) => void;
  /** Returns a refresh token of a new session. */
  newSession: () => string;
  /** Makes all tokens so far invalid. */
  endSessions: () => void;
  /** Makes all access tokens so far invalid; refresh tokens stay valid. */
  expireAccessTokens: () => void;
  /** The files that it accepted. */
  uploads: ScriptedUploads;
  /** Signs people in. */
  issuer: ScriptedIssuer;
  /** Whether it offers calls for quotes of several accounts. */
  sharesQuotes: boolean;
  /** When set, it refuses every quote with this. */
  refusesQuotes: QuoteResult['refusal'];
  accessSeconds: number;
  /** How long a rotated refresh token can be used again, in milliseconds. */
  graceMs: number;
};

type Plain = Exclude<Scripted, (...args: never[]) => unknown>;
type State = Pick<
  ScriptedStudio,
  | 'studioId'
  | 'account'
  | 'balance'
  | 'catalog'
  | 'sharesQuotes'
  | 'refusesQuotes'
  | 'accessSeconds'
  | 'graceMs'
  | 'uploads'
  | 'issuer'
> & {
  url: string;
  seen: Seen[];
  refreshTokens: Map<string, { rotatedAt: number | undefined }>;
  accessTokens: Set<string>;
};

export async function startScriptedStudio(): Promise<ScriptedStudio> {
  const scripts = new Map<string, Scripted>();
  const once = new Map<string, Scripted[]>();
  const catalog = exampleCatalog();
  const studio: State = {
    url: '',
    studioId: 'std_scripted',
    seen: [],
    account: exampleAccount(),
    balance: exampleBalance(catalog),
    catalog,
    sharesQuotes: false,
    refusesQuotes: null,
    accessSeconds: 900,
    graceMs: 60_000,
    refreshTokens: new Map(),
    accessTokens: new Set(),
    uploads: createScriptedUploads(),
    issuer: createScriptedIssuer({
      url: () => studio.url,
      newRefreshToken: () => grant(studio),
      newAccessToken: () => newAccessToken(studio),
    }),
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const operation = operationOf(request);
    // The bytes of a file are counted while they arrive.
    const body = operation === 'storeUpload' ? '' : await readText(request);
    const { authorization } = request.headers;
    studio.seen.push({ operation, authorization, url: request.url ?? '', body, at: performance.now() });
    const scripted = once.get(operation)?.shift() ?? scripts.get(operation);
    if (typeof scripted === 'function') await scripted(request, response);
    else send(response, scripted ?? (await answer(studio, operation, request, body)));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  studio.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(studio, {
    script: (operation: string, scripted: Scripted | undefined) => {
      if (scripted === undefined) scripts.delete(operation);
      else scripts.set(operation, scripted);
    },
    scriptOnce: (operation: string, scripted: Scripted) => {
      once.set(operation, [...(once.get(operation) ?? []), scripted]);
    },
    newSession: () => grant(studio),
    endSessions: () => {
      studio.refreshTokens.clear();
      studio.accessTokens.clear();
    },
    expireAccessTokens: () => studio.accessTokens.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  });
}

function grant(studio: State): string {
  const token = randomBytes(24).toString('base64url');
  studio.refreshTokens.set(token, { rotatedAt: undefined });
  return token;
}

function refresh(studio: State, body: string): Plain {
  const token = new URLSearchParams(body).get('refresh_token') ?? '';
  const known = studio.refreshTokens.get(token);
  const serves = known?.rotatedAt === undefined || performance.now() - known.rotatedAt < studio.graceMs;
  if (known === undefined || !serves) return { status: 400, json: { error: 'invalid_grant' } };
  known.rotatedAt ??= performance.now();
  return {
    json: {
      access_token: newAccessToken(studio),
      token_type: 'Bearer',
      expires_in: studio.accessSeconds,
      refresh_token: grant(studio),
      scope: 'openid offline_access',
    },
  };
}

function newAccessToken(studio: State): string {
  const access = randomBytes(24).toString('base64url');
  studio.accessTokens.add(access);
  return access;
}

async function answer(
  studio: State,
  operation: string,
  request: IncomingMessage,
  body: string,
): Promise<Plain> {
  const issuer = `${studio.url}/oidc`;
  const answered = studio.issuer.answer(operation, request, body);
  if (answered !== undefined) return answered;
  if (operation === 'token') return refresh(studio, body);
  if (operation === 'getMetadata')
    return {
      json: { studio_id: studio.studioId, issuer, version: '1', shared_quotes: studio.sharesQuotes },
    };
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (
    studioOperations[operation as StudioOperationId]?.caller === 'account' &&
    !studio.accessTokens.has(bearer)
  )
    return { status: 401, json: { code: 'invalid_token', message: 'no such token' } };
  if (Object.hasOwn(administrationOperations, operation))
    return { status: 403, json: { code: 'forbidden', message: 'This account is no administrator.' } };
  switch (operation) {
    case 'getAccount':
      return { json: studio.account };
    case 'getBalance':
      return { json: studio.balance };
    case 'getLimits': {
      const lane = { limit: 2, running: 1, running_elsewhere: 1 };
      return { json: { overall: { ...lane, limit: 4 }, image: lane, edit: lane, video: lane } };
    }
    case 'getStorage':
      return { json: { used_bytes: 3_000, limit_bytes: 5_000, uploads_bytes: 1_000, outputs_bytes: 2_000 } };
    case 'getCatalog': {
      const etag = `"${studio.catalog.version}-${studio.catalog.plan}"`;
      if (request.headers['if-none-match'] === etag) return { status: 304, headers: { etag }, text: '' };
      return { headers: { etag }, json: studio.catalog };
    }
    case 'createQuotes': {
      const { quotes } = JSON.parse(body) as QuotesRequest;
      return { json: { results: quotes.map((one) => quoteOf(studio, one)) } };
    }
    case 'createSharedQuotes': {
      const { quotes } = JSON.parse(body) as SharedQuotesRequest;
      const serves = ({ access_token: token }: { access_token: string }) => studio.accessTokens.has(token);
      return { json: { results: quotes.map((one) => (serves(one) ? quoteOf(studio, one) : null)) } };
    }
    default:
      return (
        (await answerOfUploads(studio.uploads, operation, request, body)) ??
        answerOfLibrary(operation, (request.url ?? '').split('?')[0] ?? '', body) ?? {
          status: 404,
          json: { code: 'not_found', message: 'nothing here' },
        }
      );
  }
}

function quoteOf(
  studio: Pick<State, 'catalog' | 'balance' | 'refusesQuotes'>,
  { request }: QuotesRequest['quotes'][number],
): QuoteResult {
  const model = studio.catalog.models.find(({ id }) => id === request.model) as StudioModel;
  return {
    account_state: 'ok',
    unknown_ids: [],
    cost_millicredits: priceOf(model, request),
    outputs: Object.values(model.batch_size)[0] ?? 1,
    balance: studio.balance,
    refusal: studio.refusesQuotes,
    quote: studio.refusesQuotes === null ? 'quote' : null,
  };
}

function operationOf(request: IncomingMessage): string {
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path.endsWith('/.well-known/openid-configuration')) return 'discovery';
  if (path === '/oidc/token') return 'token';
  if (path === '/oidc/jwks') return 'jwks';
  if (path === '/oidc/me') return 'userinfo';
  if (path.startsWith('/media/')) return 'media';
  const found = Object.entries(studioOperations).find(
    ([, { method, path: pattern }]) =>
      method === request.method && new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path),
  );
  return found?.[0] ?? 'unknown';
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, scripted: Plain): void {
  response.writeHead(scripted.status ?? 200, { 'content-type': 'application/json', ...scripted.headers });
  response.end(scripted.text ?? JSON.stringify(scripted.json));
}

function exampleAccount(): StudioAccount {
  return {
    id: 'acc_studio',
    email: 'ada@example.com',
    name: 'Ada',
    username: null,
    tier: { key: 'plus', name: 'Plus' },
    organization: false,
    age_verified: false,
    state: 'ok',
    capabilities: {
      audio_upload: false,
      video_upload: true,
      uploads: true,
      custom_models: false,
      character_creation_modes: [],
    },
    catalog_version: 'v1',
  };
}

function exampleBalance(catalog: Catalog): StudioBalance {
  return {
    monthly_millicredits: 100_000,
    lifetime_millicredits: 5_500,
    allowance_millicredits: 1_000_000,
    next_refill: '2027-01-07T00:00:00.000Z',
    ledger_seq: 3,
    catalog_version: catalog.version,
    plan: catalog.plan,
  };
}
