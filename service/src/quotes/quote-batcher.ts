import type { QuoteResult, QuotesRequest, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';

/** The most quotes in one call. */
const maxQuotesPerCall = 64;
/**
 * The most shared calls at once. Calls that take longer than `slowCallMs` do not count. Quotes that arrive meanwhile
 * wait for the next call.
 */
const maxSharedCalls = 2;
const slowCallMs = 100;
/** The same limit for the calls of one account, when calls are not shared. */
const maxCallsPerAccount = 2;
/** How often the studio is asked whether it offers shared calls, in milliseconds. */
const askAgainMs = 15_000;

type Question = QuotesRequest['quotes'][number];
type SharedQuestion = Question & { account: string; access_token: string };
type Account = { waiting: number; ask: (question: Question) => Promise<QuoteResult> };

/**
 * Asks the studio for quotes. Requests that arrive together share a call: of all accounts when the studio offers it,
 * else of one account. When a shared call gives no result for a request, the account's own call asks again; it renews
 * tokens and respects limits.
 */
export class QuoteBatcher {
  readonly #studioClient: QuotingClient;
  readonly #accounts = new Map<string, Account>();
  readonly #askShared: (question: SharedQuestion) => Promise<QuoteResult | null>;
  #sharing = false;
  #asksAgainAt = 0;

  constructor(studioClient: QuotingClient) {
    this.#studioClient = studioClient;
    this.#askShared = createBatcher<SharedQuestion, QuoteResult | null>({
      maxSize: maxQuotesPerCall,
      maxInFlight: maxSharedCalls,
      slowAfterMs: slowCallMs,
      // Each member can still use a call of its own.
      isHopeless: () => true,
      run: async (quotes) => (await studioClient.call('createSharedQuotes', { body: { quotes } })).results,
    });
  }

  /**
   * Returns the studio's answer to one request. `coming` are named uploads that the studio does not have yet.
   * @throws StudioFailure
   */
  async quote(
    accountId: string,
    request: RenderRequest,
    { moderate, coming = [] }: { moderate: boolean; coming?: readonly string[] },
  ): Promise<QuoteResult> {
    const question = { request, moderate, ...(coming.length > 0 && { coming: [...coming] }) };
    const shared = this.#offersSharing() ? await this.#quoteShared(accountId, question) : null;
    return shared ?? this.#quoteAlone(accountId, question);
  }

  /** Returns null when the account must ask alone. */
  async #quoteShared(accountId: string, question: Question): Promise<QuoteResult | null> {
    const known = await this.#studioClient.accountToken(accountId);
    if (known === undefined) return null;
    try {
      return await this.#askShared({
        account: known.studioAccountId,
        access_token: known.token,
        ...question,
      });
    } catch (error) {
      if (!(error instanceof StudioFailure)) throw error;
      // When the studio cannot read the body of one call, the next shared call may still succeed.
      if (!isAboutItsBody(error)) this.#stopSharing();
      if (error.kind === 'unavailable' || error.kind === 'timeout') throw error;
      return null;
    }
  }

  async #quoteAlone(accountId: string, question: Question): Promise<QuoteResult> {
    const account = this.#accountOf(accountId);
    account.waiting++;
    try {
      return await account.ask(question);
    } finally {
      if (--account.waiting === 0) this.#accounts.delete(accountId);
    }
  }

  #accountOf(accountId: string): Account {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const ask = createBatcher<Question, QuoteResult>({
      maxSize: maxQuotesPerCall,
      maxInFlight: maxCallsPerAccount,
      // Asking for each member alone helps only when the call was refused because of its body.
      isHopeless: (error) => !(error instanceof StudioFailure && isAboutItsBody(error)),
      run: async (quotes) =>
        (await this.#studioClient.call('createQuotes', { accountId, body: { quotes } })).results,
    });
    const account = { waiting: 0, ask };
    this.#accounts.set(accountId, account);
    return account;
  }

  /** Returns the last known answer. The request for a new answer runs in the background. */
  #offersSharing(): boolean {
    if (performance.now() >= this.#asksAgainAt) {
      this.#asksAgainAt = performance.now() + askAgainMs;
      void this.#studioClient.call('getMetadata', {}).then(
        ({ shared_quotes: offered = false }) => (this.#sharing = offered),
        () => (this.#sharing = false),
      );
    }
    return this.#sharing;
  }

  #stopSharing(): void {
    this.#sharing = false;
    this.#asksAgainAt = performance.now() + askAgainMs;
  }
}

type QuotingClient = Pick<StudioClient, 'call' | 'accountToken'>;

function isAboutItsBody({ studioCode }: StudioFailure): boolean {
  return studioCode === 'invalid_request' || studioCode === 'too_large';
}
