import type { QuoteResult, SharedQuotesRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Authenticator, Bearer } from '../authentication/authenticate.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { createQuotes, type QuoteDependencies } from './create-quotes.ts';

type Question = SharedQuotesRequest['quotes'][number];

/**
 * Quotes for several accounts, each as its account's own call would answer. Null for a question whose token is not one of its
 * account and of this client, and for an account that has something to be done first: a refill, or an operator's fault.
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

/** Nothing waits for one account's row, or goes wrong on purpose, in an answer that others wait for. */
function isReady({ account }: Bearer): boolean {
  return account.next_fault === null && !account.refill_due;
}
