import type { QuoteResult, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';

/** Quotes of one account in one call, and such calls under way at once. */
const maxQuotesPerCall = 64;
const maxCallsPerAccount = 2;

type Item = { request: RenderRequest; moderate: boolean; coming?: string[] };
type Account = { waiting: number; ask: (item: Item) => Promise<QuoteResult> };

export type Quotes = {
  /**
   * What the studio says of one request; `coming` are the uploads that it names and the studio will have only later.
   * Requests of an account that come together share a call. @throws StudioFailure
   */
  quote: (
    accountId: string,
    request: RenderRequest,
    options: { moderate: boolean; coming?: readonly string[] },
  ) => Promise<QuoteResult>;
};

export function createQuotes(studioClient: StudioClient): Quotes {
  const accounts = new Map<string, Account>();

  const accountOf = (accountId: string): Account => {
    let account = accounts.get(accountId);
    if (account === undefined) {
      account = {
        waiting: 0,
        ask: createBatcher<Item, QuoteResult>({
          maxSize: maxQuotesPerCall,
          maxInFlight: maxCallsPerAccount,
          isHopeless,
          run: async (quotes) =>
            (await studioClient.call('createQuotes', { accountId, body: { quotes } })).results,
        }),
      };
      accounts.set(accountId, account);
    }
    return account;
  };

  return {
    quote: async (accountId, request, { moderate, coming = [] }) => {
      const account = accountOf(accountId);
      account.waiting++;
      try {
        return await account.ask({
          request,
          moderate,
          ...(coming.length > 0 && { coming: [...coming] }),
        });
      } finally {
        if (--account.waiting === 0) accounts.delete(accountId);
      }
    },
  };
}

/** Only a call that was refused for what it holds is worth asking member by member. */
function isHopeless(error: unknown): boolean {
  return !(
    error instanceof StudioFailure &&
    (error.studioCode === 'invalid_request' || error.studioCode === 'too_large')
  );
}
