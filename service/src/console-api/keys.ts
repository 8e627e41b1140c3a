import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readSpentToday } from '../budgets/queries.ts';
import { cancelQueuedOfKey, readQueuedOfKeys } from '../generations/cancel/cancel-queued.ts';
import type { Settlement } from '../generations/settle/settlement.ts';
import { listOfAll } from '../http/list-page.ts';
import { createKey } from '../identity/keys/create-key.ts';
import { type ListedKey, listKeys, showKey, noSuchKey } from '../identity/keys/list-keys.ts';
import { revokeKey } from '../identity/keys/revoke-key.ts';
import { updateKey } from '../identity/keys/update-key.ts';
import { millicreditsOf } from './amounts.ts';
import { askerOf, type ConsoleHandlers } from './console-handler.ts';

/** A person's API keys. */
export function keyHandlers(deps: {
  database: Database;
  settlement: Settlement;
}): Pick<ConsoleHandlers, 'listKeys' | 'createKey' | 'getKey' | 'updateKey' | 'revokeKey'> {
  const { database } = deps;

  const present = async (accountId: string, keys: readonly ListedKey[]): Promise<ApiKey[]> => {
    const [spent, queued] = await Promise.all([
      readSpentToday(database, accountId),
      readQueuedOfKeys(database, accountId),
    ]);
    return keys.map((key) => presentKey(key, spent.get(key.id) ?? 0, queued.get(key.id) ?? 0));
  };
  const show = async (accountId: string, keyId: string): Promise<ApiKey> => {
    const [key] = await present(accountId, [await showKey(database, keyId, accountId)]);
    if (key === undefined) throw noSuchKey();
    return key;
  };

  return {
    listKeys: async ({ person: { accountId } }) =>
      listOfAll(await present(accountId, await listKeys(database, accountId)), {}),

    createKey: async ({ person, body }) => {
      const { accountId, actor } = askerOf(person);
      const { id, key } = await createKey(
        database,
        {
          accountId,
          name: body.name,
          scopes: body.scopes,
          expiresInDays: body.expires_in_days ?? null,
          dailyBudgetMillicredits: millicreditsOf(body.daily_budget, 'daily_budget') ?? null,
          ...(body.rate_limit !== undefined && { rateLimitPerMinute: body.rate_limit }),
          ...(body.confirm_above !== undefined && {
            confirmAboveMillicredits: millicreditsOf(body.confirm_above, 'confirm_above'),
          }),
        },
        actor,
      );
      return { ...(await show(accountId, id)), key };
    },

    getKey: ({ person, params }) => show(person.accountId, params.id),

    updateKey: async ({ person, params, body }) => {
      const { id } = params;
      const changes = {
        name: body.name,
        dailyBudgetMillicredits: millicreditsOf(body.daily_budget, 'daily_budget'),
        rateLimitPerMinute: body.rate_limit,
        confirmAboveMillicredits: millicreditsOf(body.confirm_above, 'confirm_above'),
      };
      await updateKey(database, id, changes, askerOf(person));
      return show(person.accountId, id);
    },

    revokeKey: async ({ person, params, query }) => {
      const { id } = params;
      const { accountId } = person;
      const cancels = query.cancel_queued === true;
      await revokeKey(database, id, askerOf(person), cancels ? { cancel_queued: 'yes' } : {});
      // The key is revoked from here on. If the cancellation fails, the client can repeat the request.
      const canceled = cancels ? await cancelQueuedOfKey(deps, { accountId, keyId: id }) : 0;
      return { ...(await show(accountId, id)), canceled };
    },
  };
}

function presentKey(key: ListedKey, spentMillicredits: number, queued: number): ApiKey {
  return {
    id: key.id,
    object: 'api_key',
    name: key.name,
    prefix: key.prefix,
    status: key.status,
    scopes: key.scopes,
    daily_budget: key.dailyBudgetMillicredits === null ? null : creditsOf(key.dailyBudgetMillicredits),
    spent_today: creditsOf(spentMillicredits),
    rate_limit: key.rateLimitPerMinute,
    confirm_above: key.confirmAboveMillicredits === null ? null : creditsOf(key.confirmAboveMillicredits),
    queued,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  };
}
