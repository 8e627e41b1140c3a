import type { QuoteResult, SharedQuotesRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Authenticator, Bearer } from '../authentication/authenticate.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { createQuotes, type QuoteDependencies } from './create-quotes.ts';

type Question = SharedQuotesRequest['quotes'][number];

/**
 * Creates quotes for several accounts, each as the account's own call would answer. An answer is `null` if the token
 * does not belong to its account and this client, or if the account has a refill or an injected fault due.
 */
export async function createSharedQuotes(
  { quotes }: SharedQuotesRequest,
  dependencies: QuoteDependencies & {
    findBearer: Authenticator['findBearer'];
    clientId: string;
    snapshot: CatalogSnapshot;
  },
): Promise<(QuoteResult | null)[]> {
  const { findBearer, clientId, snapshot } = dependencies;
  const asked = Map.groupBy(quotes, ({ access_token: token }) => token);
  const answers = new Map<Question, QuoteResult>();
  const answerAccount = async (token: string, questions: Question[]) => {
    const bearer = await findBearer(token);
    if (bearer === undefined || bearer.clientId !== clientId || !isReady(bearer)) return;
    const own = questions.filter(({ account }) => account === bearer.account.id);
    const results = await createQuotes(
      { quotes: own },
      { ...bearer, snapshot },
      { refuseConcurrency: false },
      dependencies,
    );
    own.forEach((question, i) => answers.set(question, results[i] as QuoteResult));
  };
  await Promise.all([...asked].map(([token, questions]) => answerAccount(token, questions)));
  return quotes.map((question) => answers.get(question) ?? null);
}

/**
 * Returns whether the account has neither a refill nor an injected fault due. Other accounts wait for the same answer:
 * it must not wait for one account's row, nor fail on purpose.
 */
function isReady({ account }: Bearer): boolean {
  return account.next_fault === null && !account.refill_due;
}
