import type { QuoteResult, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';

/** Quotes of one account in one call, and such calls under way at once. */
const maxQuotesPerCall = 64;
const maxCallsPerAccount = 2;

type Item = { request: RenderRequest; moderate: boolean; coming?: string[] };
type Account = { waiting: number; ask: (item: Item) => Promise<QuoteResult> };

/** Asks the studio for quotes. Requests of an account that come together share a call. */
export class QuoteBatcher {
  readonly #studioClient: StudioClient;
  readonly #accounts = new Map<string, Account>();

  constructor(studioClient: StudioClient) {
    this.#studioClient = studioClient;
  }

  /**
   * The studio's answer to one request; `coming` are the uploads that it names and the studio will have only later.
   * @throws StudioFailure
   */
  async quote(
    accountId: string,
    request: RenderRequest,
    { moderate, coming = [] }: { moderate: boolean; coming?: readonly string[] },
  ): Promise<QuoteResult> {
    const account = this.#accountOf(accountId);
    account.waiting++;
    try {
      return await account.ask({
        request,
        moderate,
        ...(coming.length > 0 && { coming: [...coming] }),
      });
    } finally {
      if (--account.waiting === 0) this.#accounts.delete(accountId);
    }
  }

  #accountOf(accountId: string): Account {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const ask = createBatcher<Item, QuoteResult>({
      maxSize: maxQuotesPerCall,
      maxInFlight: maxCallsPerAccount,
      isHopeless,
      run: async (quotes) =>
        (await this.#studioClient.call('createQuotes', { accountId, body: { quotes } })).results,
    });
    const account = { waiting: 0, ask };
    this.#accounts.set(accountId, account);
    return account;
  }
}

/** Only a call that was refused for what it holds is worth asking member by member. */
function isHopeless(error: unknown): boolean {
  return !(
    error instanceof StudioFailure &&
    (error.studioCode === 'invalid_request' || error.studioCode === 'too_large')
  );
}
