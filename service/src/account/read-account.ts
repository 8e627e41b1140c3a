import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import type { Balance } from '@renderkit/contract/v1/schemas/balance.ts';
import type { Limits } from '@renderkit/contract/v1/schemas/limits.ts';
import type { Storage } from '@renderkit/contract/v1/schemas/storage.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { availableCredits } from '../credits/available-credits.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translated } from '../studio-client/translate-error.ts';
import { presentAccount, presentBalance, presentLimits, presentStorage } from './present.ts';
import { readQueued } from './store.ts';

export type AccountReader = {
  /** Returns the account at the studio with its balance. @throws ApiProblem */
  profile: (accountId: string) => Promise<Account>;
  /** Returns what the account can spend now. @throws ApiProblem */
  balance: (accountId: string) => Promise<Balance>;
  /** Returns how many jobs may run, how many run and how many wait. @throws ApiProblem */
  limits: (accountId: string) => Promise<Limits>;
  /**
   * Returns how many bytes are stored, and the limit. The studio enforces the limit: `studio/src/storage/reserve.ts`.
   * @throws ApiProblem
   */
  storage: (accountId: string) => Promise<Storage>;
};

/** An older studio does not have this operation and answers `not_found`. */
function explainMissing(error: unknown): never {
  if (error instanceof StudioFailure && error.studioCode === 'not_found')
    throw new ApiProblem('upstream_error', {
      detail: 'The studio does not report what the account stores.',
      cause: error,
    });
  throw error;
}

/** Reads the state of an account. One half comes from the studio, one half from the service's database. */
export function createAccountReader(deps: { studioClient: StudioClient; database: Database }): AccountReader {
  const { studioClient, database } = deps;
  const readBalance = async (accountId: string) => {
    const balance = await translated(studioClient.call('getBalance', { accountId }));
    return presentBalance(balance, await availableCredits(database, accountId, balance));
  };
  return {
    profile: async (accountId) => {
      const [profile, balance] = await Promise.all([
        translated(studioClient.call('getAccount', { accountId })),
        readBalance(accountId),
      ]);
      return presentAccount(profile, balance);
    },
    balance: readBalance,
    limits: async (accountId) => {
      const [limits, queued] = await Promise.all([
        translated(studioClient.call('getLimits', { accountId })),
        readQueued(database, accountId),
      ]);
      return presentLimits(limits, queued);
    },
    storage: async (accountId) =>
      presentStorage(await translated(studioClient.call('getStorage', { accountId }).catch(explainMissing))),
  };
}
