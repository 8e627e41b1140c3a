import type { QuoteResult, QuotesRequest, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';

/** Quotes in one call at most. */
const maxQuotesPerCall = 64;
/** Shared calls under way at once, those aside that take longer than the milliseconds: what comes meanwhile gathers. */
const maxSharedCalls = 2;
const slowCallMs = 100;
/** The same for the calls of one account, where calls are not shared. */
const maxCallsPerAccount = 2;
/** Milliseconds after which the studio is asked again whether it answers shared calls. */
const askAgainMs = 15_000;

type Question = QuotesRequest['quotes'][number];
type SharedQuestion = Question & { account: string; access_token: string };
type Account = { waiting: number; ask: (question: Question) => Promise<QuoteResult> };

/**
 * Asks the studio for quotes. Requests that come together share a call: those of all accounts where the studio offers it, else
 * those of one account. What a shared call leaves open is asked by its account's own call, which renews tokens and keeps to limits.
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
      // Each member has a call of its own to go on with.
      isHopeless: () => true,
      run: async (quotes) => (await studioClient.call('createSharedQuotes', { body: { quotes } })).results,
    });
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
    const question = { request, moderate, ...(coming.length > 0 && { coming: [...coming] }) };
    const shared = this.#offersSharing() ? await this.#quoteShared(accountId, question) : null;
    return shared ?? this.#quoteAlone(accountId, question);
  }

  /** Null where the account has to ask alone. */
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
      // A call that holds what the studio cannot read says nothing of the next one.
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
      // Only a call that was refused for what it holds is worth asking member by member.
      isHopeless: (error) => !(error instanceof StudioFailure && isAboutItsBody(error)),
      run: async (quotes) =>
        (await this.#studioClient.call('createQuotes', { accountId, body: { quotes } })).results,
    });
    const account = { waiting: 0, ask };
    this.#accounts.set(accountId, account);
    return account;
  }

  /** As far as is known: nobody waits for the answer to that. */
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
