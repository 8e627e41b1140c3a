import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { SecretBox } from '@renderkit/server-kit/secrets.ts';
import { type Loop, startLoop } from '@renderkit/server-kit/work/loop.ts';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { eachWithin } from '@renderkit/server-kit/work/within.ts';
import { LRUCache } from 'lru-cache';
import type { CrashPoint } from '../test-hooks.ts';
import type { Tokens } from './refresh-grant.ts';
import {
  abandonedRefreshes,
  abandonRefresh,
  type ConnectionRow,
  endConnection,
  storeRefreshed,
  readConnection,
  takeRefresh,
} from './store.ts';
import { StudioFailure } from './studio-failure.ts';

/** Longer than a refresh may take. Short enough that a call can wait until the lease of a dead process expires. */
const refreshLeaseMs = 5_000;
/** An access token is not used in its last half minute. */
const expiryMarginMs = 30_000;
const maxCachedTokens = 50_000;
const waitForOthersMs = 9_000;
const pollMs = 60;
const reconcileMs = 5_000;
/** How many abandoned refreshes are repeated at once, and for how long one round starts more of them. */
const maxTakenUp = 8;
const reconcileRoundMs = 20_000;

export type AccessToken = { token: string; version: number; studioAccountId: string };
type Cached = AccessToken & { usableUntil: number };

export type Connections = AsyncDisposable & {
  /** Returns a token that the studio should accept. @throws StudioFailure */
  accessToken: (accountId: string) => Promise<AccessToken>;
  /** Returns a newer token than the one that the studio refused. @throws StudioFailure */
  renewed: (accountId: string, refusedVersion: number) => Promise<AccessToken>;
};

type ConnectionsOptions = {
  database: Database;
  secrets: SecretBox;
  /** Exchanges a refresh token for new tokens. @throws StudioFailure */
  refresh: (refreshToken: string) => Promise<Tokens>;
  studioId: (options?: { fresh?: boolean }) => Promise<string>;
  log: Logger;
  /** Tests kill the process here, between the studio's answer and our commit. */
  crashPoint?: CrashPoint | undefined;
};

/**
 * Provides the accounts' access tokens. Decrypted tokens are cached in memory until they expire; a revoked token is
 * noticed only when the studio refuses it. A lease lets only one process refresh at a time. During the request to the
 * studio no database connection is held. `refresh-grant.ts` decides whether the session has ended; `connect-account.ts`
 * begins one.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const cache = new LRUCache<string, Cached>({ max: maxCachedTokens });
  const underWay = new Map<string, Promise<AccessToken>>();

  const obtainOnce = (accountId: string, refusedVersion?: number): Promise<AccessToken> => {
    let obtaining = underWay.get(accountId);
    if (obtaining === undefined) {
      obtaining = obtain(options, cache, accountId, refusedVersion).finally(() => underWay.delete(accountId));
      underWay.set(accountId, obtaining);
    }
    return obtaining;
  };
  const reconciliation: Loop = startLoop({
    name: 'abandoned refreshes',
    everyMs: reconcileMs,
    log: options.log,
    // A process that died during a refresh may have rotated the token. The token must be used again within the studio's
    // one-minute grace period.
    run: async (stopping) => {
      const abandoned = await abandonedRefreshes(options.database);
      const round = { atOnce: maxTakenUp, withinMs: reconcileRoundMs, stopping };
      await eachWithin(abandoned, round, async ({ account_id: accountId, version }, signal) => {
        // Ends a round in time, and stops at once, even while a refresh is waiting.
        await unlessAborted(obtainOnce(accountId, version), signal).catch((error: unknown) =>
          options.log.warn({ accountId, err: error }, 'an abandoned refresh could not be taken up'),
        );
      });
    },
  });

  return {
    accessToken: async (accountId) => {
      const cached = cache.get(accountId);
      if (cached !== undefined && cached.usableUntil > performance.now()) return cached;
      return obtainOnce(accountId);
    },
    renewed: async (accountId, refusedVersion) => {
      if (cache.get(accountId)?.version === refusedVersion) cache.delete(accountId);
      // A running refresh may have begun before the refusal and return the same token.
      const current = await (underWay.get(accountId) ?? cache.get(accountId));
      if (current !== undefined && current.version !== refusedVersion) return current;
      return obtainOnce(accountId, refusedVersion);
    },
    [Symbol.asyncDispose]: () => reconciliation[Symbol.asyncDispose](),
  };
}

async function obtain(
  options: ConnectionsOptions,
  cache: LRUCache<string, Cached>,
  accountId: string,
  refusedVersion: number | undefined,
): Promise<AccessToken> {
  const giveUpAt = performance.now() + waitForOthersMs;
  let studioId: string | undefined;
  while (performance.now() < giveUpAt) {
    const row = await readConnection(options.database, accountId);
    if (row === undefined || row.status === 'ended') throw expired('the session at the studio has ended');
    // Another studio may answer at this address now. It must not receive this studio's tokens.
    studioId ??= await options.studioId({ fresh: refusedVersion !== undefined });
    if (row.studio_id !== studioId) studioId = await options.studioId({ fresh: true });
    if (row.studio_id !== studioId) throw expired('the account belongs to another studio');
    const current = openCurrent(options.secrets, accountId, row);
    if (current !== undefined && row.version !== refusedVersion) {
      cache.set(accountId, current);
      return current;
    }
    const refreshed = row.refreshing ? undefined : await refresh(options, accountId, row);
    if (refreshed !== undefined) {
      cache.set(accountId, refreshed);
      return refreshed;
    }
    await sleep(pollMs);
  }
  throw new StudioFailure('unavailable', 'another process is refreshing the session and does not end', {
    maybeSent: false,
    retryAfterSeconds: 1,
  });
}

function openCurrent(secrets: SecretBox, accountId: string, row: ConnectionRow): Cached | undefined {
  const usableMs = (row.access_left_ms ?? 0) - expiryMarginMs;
  if (row.access_token_sealed === null || usableMs <= 0) return undefined;
  return {
    token: secrets.decrypt(row.access_token_sealed, accountId),
    version: row.version,
    studioAccountId: row.studio_account_id,
    usableUntil: performance.now() + usableMs,
  };
}

/** Returns `undefined` when another process holds the refresh, or has taken it over. */
async function refresh(
  options: ConnectionsOptions,
  accountId: string,
  row: ConnectionRow,
): Promise<Cached | undefined> {
  const { database, secrets } = options;
  const holder = { accountId, version: row.version, owner: newId('refresh_') };
  const encrypted = await takeRefresh(database, { ...holder, milliseconds: refreshLeaseMs });
  if (encrypted === undefined) return undefined;
  let tokens: Tokens;
  try {
    tokens = await options.refresh(secrets.decrypt(encrypted, accountId));
  } catch (error) {
    if (error instanceof StudioFailure && error.kind === 'connection_expired')
      await endConnection(database, holder);
    // The studio may have rotated the token although its answer was lost. The loop above uses the token again in time.
    else await abandonRefresh(database, holder);
    throw error;
  }
  await options.crashPoint?.('refresh-answered');
  const version = await storeRefreshed(database, holder, {
    encryptedAccess: secrets.encrypt(tokens.accessToken, accountId),
    accessSeconds: tokens.accessSeconds,
    encryptedRefresh: secrets.encrypt(tokens.refreshToken, accountId),
  });
  if (version === undefined) return undefined;
  return {
    token: tokens.accessToken,
    version,
    studioAccountId: row.studio_account_id,
    usableUntil: performance.now() + tokens.accessSeconds * 1000 - expiryMarginMs,
  };
}

function expired(message: string): StudioFailure {
  return new StudioFailure('connection_expired', message, { maybeSent: false });
}
