import {
  type StudioAnswer,
  type StudioBody,
  type StudioOperationId,
  studioOperations,
  type StudioParams,
  type StudioQuery,
} from '@renderkit/contract/studio/operations.ts';
import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import type { CrashPoint } from '../test-hooks.ts';
import { createCallLimiter, maxHoldMs, type CallLimiter } from './call-limiter.ts';
import { readAnswer, readRender, readUpload } from './check-answer.ts';
import { connectionSecrets } from './connect-account.ts';
import { type AccessToken, createConnections } from './connection.ts';
import { createExchange, type Exchange, type Parts, send } from './exchange.ts';
import type { Reply } from './http-call.ts';
import { basicAuthorization, refreshGrant } from './refresh-grant.ts';
import { type BytesSender, createSendBytes } from './send-bytes.ts';
import { StudioFailure } from './studio-failure.ts';
import {
  createIssuerFetch,
  createStudioIdentity,
  type IssuerFetch,
  type StudioIdentity,
} from './studio-identity.ts';

/** The studio must answer within this time. Milliseconds. */
const defaultTimeoutMs = 10_000;
const accountConnections = 64;
// Each long poll occupies a connection, so long polls have their own: no other call waits behind one.
const clientConnections = 8;
const longPolls: ReadonlySet<StudioOperationId> = new Set(['readChanges', 'readProgress']);
// Files may take a long time, so they have their own connections and delay no other call.
const uploadConnections = 32;

// The first renewal may return a token that another process refreshed and that has been revoked too.
const maxRenewals = 2;

type Optional<Name extends string, Part> = Part extends undefined
  ? { [N in Name]?: undefined }
  : { [N in Name]: Part };

export type CallOptions<Id extends StudioOperationId> = {
  /** Our account's id; left out for calls of the client itself and for public calls. */
  accountId?: string;
  signal?: AbortSignal;
  /** Default 10,000. The wait of a long poll is added. */
  timeoutMs?: number;
  headers?: Record<string, string>;
} & Optional<'params', StudioParams<Id>> &
  Optional<'query', StudioQuery<Id>> &
  Optional<'body', StudioBody<Id>>;

export type StudioClient = AsyncDisposable &
  BytesSender & {
    /** Calls one operation of the studio's contract and checks its answer. @throws StudioFailure */
    call: <Id extends StudioOperationId>(
      operation: Id,
      options: CallOptions<Id>,
    ) => Promise<StudioAnswer<Id>>;
    /** Returns the catalog's bytes, not parsed, or `unchanged` when the tag is still current. @throws StudioFailure */
    fetchCatalog: (
      accountId: string,
      etag: string | undefined,
    ) => Promise<{ etag: string | undefined; bytes: Buffer } | 'unchanged'>;
    /** Parses the bytes of `fetchCatalog`. @throws StudioFailure */
    readCatalog: (bytes: Buffer) => StudioAnswer<'getCatalog'>;
    /** Reads a render from the feed. @throws StudioFailure of kind nonsense */
    readRender: (value: unknown) => Render;
    /** Reads an upload from the feed. @throws StudioFailure of kind nonsense */
    readUpload: (value: unknown) => StudioUpload;
    /** Returns the studio's id, as in our database. @throws StudioFailure */
    studioId: () => Promise<string>;
    /**
     * Returns the studio's id and the token of an account, for a call for several accounts. Returns `undefined` while
     * the studio limits the account; then the account must use its own call. @throws StudioFailure
     */
    accountToken: (accountId: string) => Promise<AccessToken | undefined>;
    /** What signing people in needs from the studio. */
    signingIn: {
      /** Returns the studio's id, as in our database, and its issuer's address. @throws StudioFailure */
      issuer: StudioIdentity['issuer'];
      /** Like `fetch`, but only to the issuer, at the address at which the service reaches it. */
      fetch: IssuerFetch;
    };
  };

export type StudioClientOptions = {
  studioUrl: string;
  /** Links may begin with this address even when it is http. */
  studioPublicUrl: string;
  studioClientId: string;
  studioClientSecret: string;
  secretKey: Buffer;
  database: Database;
  log: Logger;
  /** Tests shorten it. */
  timeoutMs?: number;
  crashPoint?: CrashPoint | undefined;
};

/** Calls the studio for all accounts of this process. The operator chose its address, so the address is not checked. */
export function createStudioClient(options: StudioClientOptions): StudioClient {
  const exchange = createExchange(options.studioUrl, accountConnections);
  const clientExchange = createExchange(options.studioUrl, clientConnections);
  const uploadExchange = createExchange(options.studioUrl, uploadConnections);
  const origin = new URL(options.studioPublicUrl).origin;
  const authorization = basicAuthorization({
    id: options.studioClientId,
    secret: options.studioClientSecret,
  });
  const identity = createStudioIdentity({ ...options, exchange: clientExchange });
  const connections = createConnections({
    database: options.database,
    secrets: connectionSecrets(options.secretKey),
    studioId: identity.studioId,
    refresh: async (refreshToken) =>
      refreshGrant(exchange, { path: await identity.tokenEndpoint(), authorization, refreshToken }),
    log: options.log,
    crashPoint: options.crashPoint,
  });
  const limiter = createCallLimiter();
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;

  const perform: Perform = async (operation, parts) => {
    if (studioOperations[operation].caller === 'account')
      return performForAccount({ exchange, connections, limiter, operation, parts, timeoutMs });
    const headers: Record<string, string> =
      studioOperations[operation].caller === 'client' ? { authorization } : {};
    const by = longPolls.has(operation) ? clientExchange : exchange;
    return { reply: await send(by, operation, parts, headers, timeoutMs) };
  };
  const performLogged = withNonsenseLogged(perform, options.log);
  const sending = createSendBytes({
    exchange: uploadExchange,
    connections,
    perform: performLogged,
    origin,
  });

  void identity
    .studioId()
    .catch((error: unknown) => options.log.warn({ err: error }, 'the studio could not be asked who it is'));

  return {
    call: async (operation, callOptions) => {
      const parts = callOptions as Parts;
      const { reply, studioAccountId } = await performLogged(operation, parts);
      return readAnswer(operation, reply.body, { ...parts, studioAccountId }, origin);
    },
    fetchCatalog: async (accountId, etag) => {
      const { reply } = await performLogged('getCatalog', { accountId, ifNoneMatch: etag });
      if (reply.status === 304) return 'unchanged';
      const tag = reply.headers['etag'];
      return { etag: typeof tag === 'string' && tag.length <= 500 ? tag : undefined, bytes: reply.body };
    },
    readCatalog: (bytes) => readAnswer('getCatalog', bytes, {}, origin),
    readRender: (value) => readRender(value, origin),
    readUpload: (value) => readUpload(value, origin),
    ...sending,
    studioId: () => identity.studioId(),
    accountToken: async (accountId) =>
      limiter.isHeld(accountId) ? undefined : nothingSent(connections.accessToken(accountId)),
    signingIn: { issuer: identity.issuer, fetch: createIssuerFetch(exchange, options) },
    [Symbol.asyncDispose]: async () => {
      await connections[Symbol.asyncDispose]();
      for (const one of [exchange, clientExchange, uploadExchange]) await one[Symbol.asyncDispose]();
    },
  };
}

type Answered = { reply: Reply; studioAccountId?: string };
type Perform = (operation: StudioOperationId, parts: Parts) => Promise<Answered>;

function withNonsenseLogged(perform: Perform, log: Logger): Perform {
  return (operation, parts) =>
    perform(operation, parts).catch((error: unknown) => {
      if (isNonsense(error))
        log.warn({ operation, accountId: parts.accountId, err: error }, 'the studio answered nonsense');
      throw error;
    });
}

function isNonsense(error: unknown): boolean {
  return (
    error instanceof StudioFailure && (error.kind === 'nonsense' || error.studioCode === 'invalid_token')
  );
}

/**
 * Performs a call with the account's token, in a slot of its limiter. Renews the token when the studio refuses it.
 * Waits once when the studio limits the account for 2 s or less.
 */
async function performForAccount(job: {
  exchange: Exchange;
  connections: ReturnType<typeof createConnections>;
  limiter: CallLimiter;
  operation: StudioOperationId;
  parts: Parts;
  timeoutMs: number;
}): Promise<Answered> {
  const { connections, operation, parts, limiter } = job;
  const { accountId } = parts;
  if (accountId === undefined) throw new Error(`${operation} is called for an account, and none was named`);
  let renewals = 0;
  let waited = false;
  for (;;) {
    using _ = await limiter.enter(accountId, { waitMs: job.timeoutMs, signal: parts.signal });
    const token = await nothingSent(unlessGivenUp(connections.accessToken(accountId), parts.signal));
    const headers = { authorization: `Bearer ${token.token}` };
    try {
      const reply = await send(job.exchange, operation, parts, headers, job.timeoutMs);
      return { reply, studioAccountId: token.studioAccountId };
    } catch (error) {
      if (!(error instanceof StudioFailure)) throw error;
      if (error.studioCode === 'invalid_token') {
        // The token is neither expired nor revoked, but still refused.
        if (renewals++ === maxRenewals) throw new StudioFailure('nonsense', error.message, error);
        await nothingSent(unlessGivenUp(connections.renewed(accountId, token.version), parts.signal));
      } else if (error.kind === 'rate_limited') {
        const waitMs = (error.retryAfterSeconds ?? 1) * 1000;
        limiter.hold(accountId, waitMs);
        if (waited || waitMs > maxHoldMs) throw error;
        waited = true;
      } else throw error;
    }
  }
}

/** Stops waiting when the signal aborts. The refresh continues, because other calls wait for the same token. */
async function unlessGivenUp<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return unlessAborted(work, signal).catch((error: unknown) => {
    if (error !== signal.reason) throw error;
    throw new StudioFailure('unavailable', 'the call was given up', { maybeSent: false, cause: error });
  });
}

/** Marks errors before the call itself as `maybeSent: false`. */
async function nothingSent<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StudioFailure) || !error.maybeSent) throw error;
    throw new StudioFailure(error.kind, error.message, { ...error, maybeSent: false, cause: error });
  }
}
