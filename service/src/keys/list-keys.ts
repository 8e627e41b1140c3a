import { apiKeyPrefix } from '@renderkit/contract/v1/identifiers.ts';
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/database.ts';
import { selectKeys } from './store.ts';

/** A key as its owner may see it: all but its secret. */
export type ListedKey = {
  id: string;
  /** What the key begins with. */
  prefix: string;
  name: string;
  scopes: Scope[];
  dailyBudgetMillicredits: number | null;
  rateLimitPerMinute: number;
  status: 'active' | 'revoked' | 'expired';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** Exact to a minute. */
  lastUsedAt: string | null;
};

/** All keys of an account, revoked and expired ones too, newest first. */
export async function listKeys(database: Database, accountId: string): Promise<ListedKey[]> {
  return (await selectKeys(database, accountId)).map((row) => ({
    id: row.id,
    prefix: apiKeyPrefix + row.public_id,
    name: row.name,
    scopes: row.scopes,
    dailyBudgetMillicredits: row.daily_budget_millicredits,
    rateLimitPerMinute: row.rate_limit_per_minute,
    status: row.active ? 'active' : row.revoked_at === null ? 'expired' : 'revoked',
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }));
}
