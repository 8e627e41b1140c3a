import type { StudioAccount } from '@renderkit/contract/studio/schemas/account.ts';
import type { AccountFacts } from '../authentication/queries.ts';

/**
 * Returns what keeps the account from working, the gravest reason first, or `ok`. `createQuotes` in
 * `studio/src/renders/create-quotes.ts` signs a quote only for `ok`, and `refusalOf` in
 * `service/src/quotes/studio-quotes.ts` refuses the create.
 */
export function accountState(account: AccountFacts): StudioAccount['state'] {
  if (account.suspended) return 'suspended';
  if (!account.email_verified) return 'email_not_verified';
  if (account.region_blocked) return 'region_blocked';
  return 'ok';
}
