import { LRUCache } from 'lru-cache';
import type { StudioClient } from '../studio-client/studio-client.ts';

/** A yes may be this old; a no is never remembered, so that it holds no longer than it is true. */
const rememberedForMs = 30_000;
const maxAccounts = 10_000;

export type AgeVerification = (accountId: string) => Promise<boolean>;

/** Whether an account's age has been verified, as the studio says. The answer's promise rejects with StudioFailure. */
export function createAgeVerification(studioClient: StudioClient): AgeVerification {
  const verified = new LRUCache<string, true>({ max: maxAccounts, ttl: rememberedForMs });
  return async (accountId) => {
    if (verified.has(accountId)) return true;
    const account = await studioClient.call('getAccount', { accountId });
    if (account.age_verified) verified.set(accountId, true);
    return account.age_verified;
  };
}
