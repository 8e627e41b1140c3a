import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { QuoteResult } from '@renderkit/contract/studio/schemas/render.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AgeVerification } from '../account/age-verification.ts';
import type { CatalogCache, CatalogRead } from '../catalog/catalog-cache.ts';
import { type Judged, judgeRequest, requireAge } from '../catalog/judge-request.ts';
import { availableCredits } from '../credits/available-credits.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { Body } from '../references/reference-fields.ts';
import type { NamedUpload, Resolved, ResolveReferences } from '../references/resolve-references.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { Quotes } from './batch-quotes.ts';
import { estimateRefusalOf, refusalOf } from './quote-refusal.ts';

/** A refusal by the catalog alone is given only if the studio confirmed the catalog within this time. */
const refusalMaxAgeMs = 30_000;
/** A catalog confirmed this lately is not confirmed again, however many requests it refuses. */
const freshMs = 200;
/** How long the confirmation of a catalog is waited for that is young enough without. */
const patienceMs = 1_000;

export type QuotedRequest = Judged & {
  balance: StudioBalance;
  quote: string;
  /** Uploads that it names, and those that its accept is to make of addresses. */
  uploads: readonly NamedUpload[] | undefined;
};

export type JudgeAndQuote = {
  /**
   * Makes out a create's references, judges its body by the catalog, has its cost checked before anything of it leaves,
   * and asks the studio. Steps 8 to 11 of the order of checks. @throws ApiProblem the first refusal in that order
   */
  judgeAndQuote: (request: {
    accountId: string;
    kind: Kind;
    /** As the schema of the kind let it through. */
    body: unknown;
    /** Throws `budget_exceeded` where the key's day has no room for it. */
    checkBudget: (costMillicredits: number) => void | Promise<void>;
  }) => Promise<QuotedRequest>;
  /** The same judgement for an estimate: nothing is moderated, no state, budget or credits refuse. @throws ApiProblem */
  judgeAndPrice: (request: {
    accountId: string;
    kind: Kind;
    body: unknown;
  }) => Promise<Judged & { balance: StudioBalance }>;
};

export function createJudgeAndQuote(deps: {
  database: Database;
  catalogCache: CatalogCache;
  ageVerified: AgeVerification;
  quotes: Quotes;
  resolveReferences: ResolveReferences;
}): JudgeAndQuote {
  const settled = async (round: Round): Promise<Judged & { answer: QuoteResult }> => {
    const { accountId } = round;
    let read = await catalogAtHand(deps.catalogCache, accountId);
    let { judged, catalog } = await judgeConfirmed(deps, round, read);
    await round.checkCost(judged.costMillicredits);
    await round.resolved?.place();
    let answer = await ask(deps.quotes, round, judged);
    let refusal = isOther(answer.balance, catalog) ? 'price_changed' : await round.refusal(answer, judged);
    if (refusal === 'price_changed') {
      // Judged by another catalog than the studio goes by: read it and judge again, once.
      read = await translated(deps.catalogCache.get(accountId, { maxAgeMs: 0 }));
      const before = judged.renderRequest;
      ({ judged, catalog } = await judgeConfirmed(deps, round, read));
      await round.checkCost(judged.costMillicredits);
      if (
        answer.cost_millicredits !== judged.costMillicredits ||
        !isDeepStrictEqual(judged.renderRequest, before)
      )
        answer = await ask(deps.quotes, round, judged);
      refusal = await round.refusal(answer, judged);
    }
    if (refusal === 'price_changed') throw priceUnclear();
    if (refusal !== undefined) throw refusal;
    return { ...judged, outputs: answer.outputs || judged.outputs, answer };
  };

  const lacksCredits = async (accountId: string, balance: StudioBalance, costMillicredits: number) =>
    (await availableCredits(deps.database, accountId, balance)).total < costMillicredits;

  return {
    judgeAndQuote: async ({ accountId, kind, body, checkBudget }) => {
      const resolved = await deps.resolveReferences({ accountId, body: body as Body });
      const { answer, ...judged } = await settled({
        accountId,
        judge: (catalog) => judgeRequest(catalog, kind, resolved?.body ?? body),
        resolved,
        moderate: true,
        checkCost: checkBudget,
        refusal: (quote, { costMillicredits }) =>
          refusalOf(quote, {
            costMillicredits,
            lacksCredits: () => lacksCredits(accountId, quote.balance, costMillicredits),
            ownRefusal: resolved?.refusal,
          }),
      });
      if (answer.quote === null) throw new Error('a quote that nothing refuses is not there');
      return { ...judged, balance: answer.balance, quote: answer.quote, uploads: resolved?.uploads };
    },
    judgeAndPrice: async ({ accountId, kind, body }) => {
      const resolved = await deps.resolveReferences({ accountId, body: body as Body, estimate: true });
      const { answer, ...judged } = await settled({
        accountId,
        judge: (catalog) => judgeRequest(catalog, kind, resolved?.body ?? body),
        resolved,
        moderate: false,
        checkCost: () => {},
        refusal: async (quote, { costMillicredits }) => estimateRefusalOf(quote, costMillicredits),
      });
      return { ...judged, balance: answer.balance };
    },
  };
}

/** What differs between a create and an estimate. */
type Round = {
  accountId: string;
  judge: (catalog: Catalog) => Judged;
  resolved: Resolved | undefined;
  moderate: boolean;
  checkCost: (costMillicredits: number) => void | Promise<void>;
  refusal: (quote: QuoteResult, judged: Judged) => Promise<ApiProblem | 'price_changed' | undefined>;
};

/** Any age will do to begin with: the quote tells whether it was the right one. */
async function catalogAtHand(cache: CatalogCache, accountId: string): Promise<CatalogRead> {
  return cache.peek(accountId) ?? (await translated(cache.get(accountId)));
}

/**
 * A refusal by the catalog is confirmed by the studio where it can be: a plan or a model may have just changed. Where
 * it cannot, because it is away or the session has ended, the refusal stands: it comes before theirs.
 */
async function judgeConfirmed(
  deps: { catalogCache: CatalogCache; ageVerified: AgeVerification },
  round: Round,
  read: CatalogRead,
): Promise<{ judged: Judged; catalog: Catalog }> {
  try {
    return { judged: await judgeOnce(deps, round, read.catalog), catalog: read.catalog };
  } catch (error) {
    if (!(error instanceof ApiProblem) || performance.now() - read.readAt <= freshMs) throw error;
    const confirmed = await confirm(deps.catalogCache, round.accountId, read);
    if (confirmed === undefined || confirmed.catalog === read.catalog) throw error;
    return { judged: await judgeOnce(deps, round, confirmed.catalog), catalog: confirmed.catalog };
  }
}

/** The catalog anew; undefined where the studio does not say, or takes its time while ours is young enough. */
async function confirm(
  cache: CatalogCache,
  accountId: string,
  read: CatalogRead,
): Promise<CatalogRead | undefined> {
  const asked = cache.get(accountId, { maxAgeMs: freshMs }).catch((failure: unknown) => {
    if (failure instanceof StudioFailure) return undefined;
    throw failure;
  });
  if (performance.now() - read.readAt > refusalMaxAgeMs) return asked;
  const given = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: given.signal }).catch(() => undefined);
  return Promise.race([asked, late]).finally(() => given.abort());
}

async function judgeOnce(
  deps: { ageVerified: AgeVerification },
  round: Round,
  catalog: Catalog,
): Promise<Judged> {
  const judged = round.judge(catalog);
  if (judged.model.nsfw) requireAge(judged.model, await translated(deps.ageVerified(round.accountId)));
  return judged;
}

async function ask(quotes: Quotes, round: Round, judged: Judged): Promise<QuoteResult> {
  const { moderate, resolved } = round;
  return translated(
    quotes.quote(round.accountId, judged.renderRequest, { moderate, coming: resolved?.coming ?? [] }),
  );
}

function isOther(balance: StudioBalance, catalog: Catalog): boolean {
  return balance.catalog_version !== catalog.version || balance.plan !== catalog.plan;
}

function priceUnclear(): ApiProblem {
  return new ApiProblem('upstream_error', {
    detail: 'The studio quotes another price than its catalog lists.',
  });
}
