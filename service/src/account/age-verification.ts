import { LRUCache } from 'lru-cache';
import type { StudioClient } from '../studio-client/studio-client.ts';

/**
 * How long a verified age is cached. An age that is not verified is never cached, so a new verification counts at once.
 */
const rememberedForMs = 30_000;
const maxAccounts = 10_000;

export type AgeVerification = (accountId: string) => Promise<boolean>;

/**
 * Returns whether the studio has verified the age of an account. The returned promise rejects with StudioFailure.
 * `requireAge` in `service/src/catalog/validate-body.ts` refuses models by it.
 */
export function createAgeVerification(studioClient: StudioClient): AgeVerification {
  const verified = new LRUCache<string, true>({ max: maxAccounts, ttl: rememberedForMs });
  return async (accountId) => {
    if (verified.has(accountId)) return true;
    const account = await studioClient.call('getAccount', { accountId });
    if (account.age_verified) verified.set(accountId, true);
    return account.age_verified;
  };
}
