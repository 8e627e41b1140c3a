import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import * as service from '@renderkit/service/operator.ts';
import { command, type Command, done } from './command.ts';
import { accountInService, connectToService } from '../connect-to-service.ts';
import { email, list, millicredits, required, text, wholeNumber } from './option.ts';

/** `service/src/identity/keys/create-key.ts` makes a key, `revoke-key.ts` beside it ends one. */
export const keyCommands: Command[] = [
  command({
    words: 'key create',
    about: 'Makes an API key; it is shown this once. Without --scopes it may do everything.',
    options: {
      email: required(email),
      name: required(text('N')),
      scopes: list(scopes),
      'daily-budget': millicredits,
      'rate-limit': wholeNumber({ min: 1, max: 1_000_000 }),
      'confirm-above': millicredits,
      'expires-in-days': wholeNumber({ min: 1, max: 36_500 }),
    },
    run: async ({ open }, values) => {
      const databases = await open();
      const accountId =
        (await accountInService(databases, values.email)) ??
        (await connectToService(databases, values.email)).accountId;
      const { id, key } = await service.createKey(databases.service, {
        accountId,
        name: values.name,
        ...(values.scopes !== undefined && { scopes: values.scopes }),
        ...(values['daily-budget'] !== undefined && { dailyBudgetMillicredits: values['daily-budget'] }),
        ...(values['rate-limit'] !== undefined && { rateLimitPerMinute: values['rate-limit'] }),
        ...(values['confirm-above'] !== undefined && { confirmAboveMillicredits: values['confirm-above'] }),
        ...(values['expires-in-days'] !== undefined && { expiresInDays: values['expires-in-days'] }),
      });
      return {
        data: { id, key },
        lines: [`id   ${id}`, `key  ${key}`, '', 'The key is stored nowhere: keep it now.'],
      };
    },
  }),
  command({
    words: 'key list',
    about: 'Lists the keys of an account, revoked ones too.',
    options: { email: required(email) },
    run: async ({ open }, values) => {
      const databases = await open();
      const accountId = await accountInService(databases, values.email);
      const keys =
        accountId === undefined ? [] : (await service.listKeys(databases.service, accountId)).map(presentKey);
      return {
        data: keys,
        lines:
          keys.length === 0
            ? ['There are no keys.']
            : keys.map((key) => `${key.id}  ${key.prefix}…  ${key.status.padEnd(7)}  ${key.name}`),
      };
    },
  }),
  command({
    words: 'key revoke',
    about: 'Ends a key at once and for good.',
    options: { id: required(text('ID')) },
    run: async ({ open }, values) => {
      await service.revokeKey((await open()).service, values.id);
      return done({ id: values.id, revoked: true }, 'The key is revoked.');
    },
  }),
];

function presentKey(key: Awaited<ReturnType<typeof service.listKeys>>[number]) {
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    scopes: key.scopes,
    daily_budget: key.dailyBudgetMillicredits === null ? null : creditsOf(key.dailyBudgetMillicredits),
    rate_limit: key.rateLimitPerMinute,
    confirm_above: key.confirmAboveMillicredits === null ? null : creditsOf(key.confirmAboveMillicredits),
    status: key.status,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  };
}
