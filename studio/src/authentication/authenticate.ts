import { createHash, hash, timingSafeEqual } from 'node:crypto';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { StudioError } from '../errors.ts';
import type { AccountFacts } from './queries.ts';
import { type AuthenticatedRow, findBearers } from './store.ts';

/** The caller: an account, through one of the clients that it gave access to. */
export type Bearer = {
  account: AccountFacts;
  clientId: string;
  /** Seconds since 1970 by the database's clock, at the time of the token check. */
  nowSeconds: number;
};

/**
 * Returns the id under which a payload is stored. The value of a token or session is a secret, so the hash is stored. A
 * grant's id gives no access by itself and is stored as it is.
 */
export function storedId(model: string, id: string): string {
  return model === 'Grant' ? id : hash('sha256', id, 'base64url');
}

const tokensPerStatement = 256;

/** Seconds after which a client should retry while the studio is under maintenance. */
export const maintenanceRetrySeconds = 30;

export type Authenticator = {
  /** Authenticates an `Authorization` header. @throws StudioError `invalid_token` */
  bearerOf: (authorization: string | undefined) => Promise<Bearer>;
  /** Returns `undefined` when the token is unknown, expired or revoked. */
  findBearer: (accessToken: string) => Promise<Bearer | undefined>;
};

/**
 * Checks access tokens against the database, without a cache; one statement checks all tokens of one turn of the event
 * loop. Refuses every caller under maintenance. Accepts suspended accounts. `lifetimeSeconds` in
 * `identity/src/provider/provider.ts` says how long a token is valid.
 */
export function createAuthenticator(database: Database): Authenticator {
  const find = createBatcher<string, AuthenticatedRow>({
    run: (tokens) => findBearers(database, tokens),
    maxSize: tokensPerStatement,
    maxInFlight: 2,
    isHopeless: isDatabaseUnavailable,
  });
  const findBearer = async (token: string) => {
    const row = await find(storedId('AccessToken', token));
    refuseUnderMaintenance(row.maintenance);
    if (row.account === null || row.client_id === null) return undefined;
    return { account: row.account, clientId: row.client_id, nowSeconds: row.now_seconds };
  };
  return {
    findBearer,
    bearerOf: async (authorization) => {
      const token = /^Bearer ([\w.~+/=-]{20,200})$/i.exec(authorization ?? '')?.[1];
      const bearer = await findBearer(token ?? '');
      if (bearer === undefined)
        throw new StudioError('invalid_token', 'The access token is missing, unknown, expired or revoked.');
      return bearer;
    },
  };
}

/** @throws StudioError `maintenance` */
export function refuseUnderMaintenance(maintenance: boolean): void {
  if (maintenance)
    throw new StudioError('maintenance', 'The studio is down for maintenance.', {
      retryAfterSeconds: maintenanceRetrySeconds,
    });
}

/** Checks the client's credentials: HTTP Basic with both parts form-encoded (RFC 6749 §2.3.1). @throws StudioError */
export function authenticateClient(
  authorization: string | undefined,
  client: { id: string; secret: string },
): void {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,2000})$/i.exec(authorization ?? '')?.[1];
  const [id = '', secret = ''] = Buffer.from(encoded ?? '', 'base64')
    .toString('utf8')
    .split(':', 2)
    .map(formDecode);
  const idMatches = isSame(id, client.id);
  if (!isSame(secret, client.secret) || !idMatches)
    throw new StudioError('invalid_token', "The client's credentials are missing or wrong.");
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
