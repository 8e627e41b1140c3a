import type { KeyStatus } from '@renderkit/contract/console/schemas/key.ts';
import { apiKeyPrefix } from '@renderkit/contract/v1/identifiers.ts';
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { KeyRow } from './store.ts';

/** A key as its owner may see it: all but its secret. */
export type ListedKey = {
  id: string;
  /** What the key begins with. */
  prefix: string;
  name: string;
  scopes: Scope[];
  dailyBudgetMillicredits: number | null;
  rateLimitPerMinute: number;
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
