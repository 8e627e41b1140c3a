import type { KeyStatus } from '@renderkit/contract/console/schemas/key.ts';
import { apiKeyPrefix } from '@renderkit/contract/v1/identifiers.ts';
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type KeyRow, selectKey, selectKeys } from './store.ts';

/** Keys are made by programs too, and those that ended never go. */
const maxListed = 200;

/** Keys of an account, newest first: all that are active, and so many of the newest that ended that they are 200. */
export async function listKeys(database: Database, accountId: string): Promise<ListedKey[]> {
  return (await selectKeys(database, accountId, maxListed)).map(presentKey);
}

/** One of an account's keys. @throws ApiProblem `not_found` */
export async function showKey(database: Database, keyId: string, accountId: string): Promise<ListedKey> {
  const row = await selectKey(database, keyId, { accountId });
  if (row === undefined) throw noSuchKey();
  return presentKey(row);
}

/** Unknown, or somebody else's: all the same to whoever asks. */
export function noSuchKey(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such key.' });
}

/** A key as its owner may see it: all but its secret. */
export type ListedKey = {
  id: string;
  /** What the key begins with. */
  prefix: string;
  name: string;
  scopes: Scope[];
  dailyBudgetMillicredits: number | null;
  rateLimitPerMinute: number;
  confirmAboveMillicredits: number | null;
  status: KeyStatus;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** Exact to a minute. */
  lastUsedAt: string | null;
};

export function presentKey(row: KeyRow): ListedKey {
  return {
    id: row.id,
    prefix: apiKeyPrefix + row.public_id,
    name: row.name,
    scopes: row.scopes,
    dailyBudgetMillicredits: row.daily_budget_millicredits,
    rateLimitPerMinute: row.rate_limit_per_minute,
    confirmAboveMillicredits: row.confirm_above_millicredits,
    status: statusOf(row),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

/** Where a key stands: what was revoked stays so, expired or not. */
export function statusOf(row: Pick<KeyRow, 'active' | 'revoked_at'>): KeyStatus {
  if (row.active) return 'active';
  return row.revoked_at === null ? 'expired' : 'revoked';
}
