import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { Key } from '@renderkit/contract/v1/schemas/key.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { unauthorized } from '../identity/admission/admit.ts';
import { readKeyOfToday } from '../identity/keys/queries.ts';

/**
 * Returns the key of the request, as its holder may see it (docs/api.md §5).
 * @throws ApiProblem `unauthorized` when the key no longer exists
 */
export async function showKey(database: Database, keyId: string): Promise<Key> {
  const key = await readKeyOfToday(database, keyId);
  if (key === undefined) throw unauthorized();
  const { daily_budget_millicredits: budget, committed_millicredits: committed } = key;
  return {
    object: 'key',
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    created_at: key.created_at.toISOString(),
    expires_at: key.expires_at?.toISOString() ?? null,
    requests_per_minute: key.rate_limit_per_minute,
    daily_budget:
      budget === null
        ? null
        : {
            credits: creditsOf(budget),
            committed: creditsOf(committed),
            left: creditsOf(Math.max(0, budget - committed)),
            resets_at: key.resets_at.toISOString(),
          },
    confirm_above: key.confirm_above_millicredits === null ? null : creditsOf(key.confirm_above_millicredits),
  };
}
