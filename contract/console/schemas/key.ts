import { Type, type Static } from 'typebox';
import { listOf } from '../../v1/schemas/list.ts';
import { closed, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';
import { scopes } from '../../v1/scopes.ts';
import {
  maxKeyNameCharacters,
  maxKeyLifetimeDays,
  maxKeyRateLimitPerMinute,
  maxDailyBudgetCredits,
} from '../limits.ts';
import { idParams } from './ids.ts';

/** `statusOf` in `service/src/identity/keys/list-keys.ts` decides the status. */
export const keyStatuses = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

const keyFields = {
  id: Type.String({ description: 'Starts with `key_`.' }),
  object: Type.Literal('api_key'),
  name: Type.String(),
  prefix: Type.String({ description: 'What the key begins with: its public part.' }),
  status: oneOf(keyStatuses),
  scopes: Type.Array(oneOf(scopes)),
  daily_budget: nullable(Type.Number(), { description: 'Credits a UTC day; null: no budget.' }),
  spent_today: Type.Number({ description: 'Credits committed on this UTC day.' }),
  rate_limit: Type.Integer({ description: 'Requests a minute.' }),
  confirm_above: nullable(Type.Number(), {
    description: 'Credits of one act above which programs of a person ask first; null: never.',
  }),
  queued: Type.Integer({ description: 'Generations of this key that wait in the queue.' }),
  created_at: timestamp('When it was made.'),
  expires_at: nullable(Type.String({ format: 'date-time' }), { description: 'Null: never.' }),
  revoked_at: nullable(Type.String({ format: 'date-time' })),
  last_used_at: nullable(Type.String({ format: 'date-time' }), { description: 'Exact to a minute.' }),
};

export const ApiKey = closed(keyFields, { title: 'ApiKey', description: 'An API key without its secret.' });
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = closed(
  { ...keyFields, key: Type.String({ description: 'The whole key. It is never shown again.' }) },
  { title: 'CreatedApiKey', description: 'A new API key, for once with its secret.' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const ApiKeyList = listOf('ApiKeyList', ApiKey);
export const ApiKeyParams = idParams('the key');

const name = Type.String({ minLength: 1, maxLength: maxKeyNameCharacters });
const dailyBudget = nullable(Type.Number({ minimum: 0, maximum: maxDailyBudgetCredits }), {
  description: 'Credits a UTC day, to a thousandth. 0: nothing may be spent. Null: no budget.',
});
const rateLimit = Type.Integer({ minimum: 1, maximum: maxKeyRateLimitPerMinute });
const confirmAbove = nullable(Type.Number({ minimum: 0, maximum: maxDailyBudgetCredits }), {
  description:
    'Credits of one act, to a thousandth. 0: programs ask before anything that costs. Null: never.',
});

export const CreateApiKeyRequest = closed({
  name,
  scopes: Type.Array(oneOf(scopes), { minItems: 1, uniqueItems: true }),
  expires_in_days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: maxKeyLifetimeDays }))),
  daily_budget: Type.Optional(dailyBudget),
  rate_limit: Type.Optional(rateLimit),
  confirm_above: Type.Optional(confirmAbove),
});
export type CreateApiKeyRequest = Static<typeof CreateApiKeyRequest>;

export const UpdateApiKeyRequest = closed({
  name: Type.Optional(name),
  daily_budget: Type.Optional(dailyBudget),
  rate_limit: Type.Optional(rateLimit),
  confirm_above: Type.Optional(confirmAbove),
});
export type UpdateApiKeyRequest = Static<typeof UpdateApiKeyRequest>;

export const RevokeApiKeyQuery = closed({
  cancel_queued: Type.Optional(
    Type.Boolean({ description: 'Cancel what waits in the queue for this key. Default: it still runs.' }),
  ),
});

export const RevokedApiKey = closed(
  { ...keyFields, canceled: Type.Integer({ description: 'Queued generations that were canceled with it.' }) },
  { title: 'RevokedApiKey', description: 'A key that nothing accepts any more.' },
);
export type RevokedApiKey = Static<typeof RevokedApiKey>;
