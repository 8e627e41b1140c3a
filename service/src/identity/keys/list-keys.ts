import type { KeyStatus } from '@renderkit/contract/console/schemas/key.ts';
import { apiKeyPrefix } from '@renderkit/contract/v1/identifiers.ts';
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type KeyRow, selectKey, selectKeys } from './store.ts';

/** Programs make keys too, and ended keys are never deleted. */
const maxListed = 200;

/** Returns keys of an account, newest first: all active ones, and the newest ended ones up to 200 keys in total. */
export async function listKeys(database: Database, accountId: string): Promise<ListedKey[]> {
  return (await selectKeys(database, accountId, maxListed)).map(presentKey);
}

/** Returns one key of an account. @throws ApiProblem `not_found` */
export async function showKey(database: Database, keyId: string, accountId: string): Promise<ListedKey> {
  const row = await selectKey(database, keyId, { accountId });
  if (row === undefined) throw noSuchKey();
  return presentKey(row);
}

/** Returns the same refusal for an unknown key and for a key of another account. */
export function noSuchKey(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such key.' });
}

/** A key as its owner may see it: everything except the secret. */
export type ListedKey = {
  id: string;
  /** The first characters of the key. */
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

/** Returns the state of a key. A revoked key stays revoked, even after it expires. */
export function statusOf(row: Pick<KeyRow, 'active' | 'revoked_at'>): KeyStatus {
  if (row.active) return 'active';
  return row.revoked_at === null ? 'expired' : 'revoked';
}
