import type { KeyObject } from 'node:crypto';
import type { QuoteResult, QuotesRequest, RenderRequest } from '@renderkit/contract/studio/schemas.ts';
import { quoteLifetimeSeconds } from '@renderkit/contract/studio/operations.ts';
import { accountState } from '../accounts/account-state.ts';
import { presentBalance } from '../accounts/present.ts';
import { isPlatformChoice } from '../catalog/catalog.ts';
import type { Moderation } from '../moderation/moderation.ts';
import type { AccountFacts } from '../sign-in/authenticate.ts';
import { judgeRequest } from './judge-request.ts';
import { digestOf, signQuote } from './quote-token.ts';
import { refusal } from './refusals.ts';

export type OwnIdQuestion = { account: string; kind: 'project' | 'image' | 'style'; id: string };

export type QuoteDependencies = {
  quoteKey: KeyObject;
  moderation: Moderation;
  /** Whether the account has this. */
  isOwn: (question: OwnIdQuestion) => Promise<boolean>;
};

/**
 * Answers every well-formed request: what it costs and makes, the account's state and balance, and what stands in
 * its way. Never refuses for concurrency of its own accord; `refuseConcurrency` is the operator's fault.
 */
export async function createQuotes(
  { quotes }: QuotesRequest,
  bearer: { account: AccountFacts; nowSeconds: number },
  options: { refuseConcurrency: boolean },
  dependencies: QuoteDependencies,
): Promise<QuoteResult[]> {
  const balance = presentBalance(bearer.account);
  return Promise.all(
    quotes.map(async ({ request, moderate }) => {
      const result = await quote(request, moderate, bearer.account, dependencies);
      if (options.refuseConcurrency) result.refusal = refusal('concurrency');
      const stands =
        result.refusal === null && result.unknown_ids.length === 0 && result.account_state === 'ok';
      return {
        ...result,
        balance,
        quote: stands
          ? signQuote(dependencies.quoteKey, {
              account: bearer.account.id,
              digest: digestOf(request),
              costMillicredits: result.cost_millicredits,
              outputs: result.outputs,
              moderated: moderate,
              expires: Math.floor(bearer.nowSeconds) + quoteLifetimeSeconds,
            })
          : null,
      };
    }),
  );
}

async function quote(
  request: RenderRequest,
  moderate: boolean,
  account: AccountFacts,
  dependencies: QuoteDependencies,
): Promise<Omit<QuoteResult, 'balance' | 'quote'>> {
  const judged = judgeRequest(request, account);
  const unknown = await unknownIds(request, account.id, dependencies.isOwn);
  const blocked =
    moderate && judged.refusal === undefined
      ? await dependencies.moderation.judgeText(moderatedText(request))
      : undefined;
  return {
    account_state: accountState(account),
    unknown_ids: unknown,
    cost_millicredits: judged.costMillicredits,
    outputs: judged.outputs,
    refusal: judged.refusal ?? (blocked === undefined ? null : moderationRefusal(blocked.reason)),
  };
}

/** All words of the person's own in a request. */
export function moderatedText(request: RenderRequest): string {
  const words = Object.values(request.options).filter((value) => typeof value === 'string');
  return [request.prompt, ...words].join('\n');
}

export function moderationRefusal(reason: string) {
  return refusal('moderation_blocked', {
    field: 'prompt',
    message: `The prompt goes against the rules of this studio (${reason}).`,
  });
}

/** Paths, as in the request, of ids that the account does not have. */
async function unknownIds(
  request: RenderRequest,
  account: string,
  isOwn: QuoteDependencies['isOwn'],
): Promise<string[]> {
  const questions: [path: string, question: OwnIdQuestion][] = [];
  if (request.project_id !== null)
    questions.push(['project_id', { account, kind: 'project', id: request.project_id }]);
  request.reference_images.forEach((id, i) =>
    questions.push([`reference_images[${i}]`, { account, kind: 'image', id }]),
  );
  request.styles.forEach((id, i) => {
    if (!isPlatformChoice(id)) questions.push([`styles[${i}]`, { account, kind: 'style', id }]);
  });
  const unknown = request.suggestions.flatMap((id, i) => (isPlatformChoice(id) ? [] : [`suggestions[${i}]`]));
  const own = await Promise.all(questions.map(([, question]) => isOwn(question)));
  return [...questions.filter((_, i) => own[i] !== true).map(([path]) => path), ...unknown];
}
