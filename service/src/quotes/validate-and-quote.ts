import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { Referring } from '@renderkit/contract/studio/references.ts';
import type { StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { QuoteResult } from '@renderkit/contract/studio/schemas/render.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AgeVerification } from '../account/age-verification.ts';
import type { CatalogCache, CatalogRead } from '../catalog/catalog-cache.ts';
import { requireAge, validateBody, type ValidatedRequest } from '../catalog/validate-body.ts';
import { availableCredits } from '../credits/available-credits.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import {
  type NamedUpload,
  type ReferenceDependencies,
  type ResolvedReferences,
  resolveReferences,
} from '../references/resolve-references.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { QuoteBatcher } from './quote-batcher.ts';
import { estimateRefusalOf, refusalOf } from './studio-quotes.ts';

/** A refusal that only the catalog causes is sent only if the studio confirmed the catalog within this time. */
const refusalMaxAgeMs = 30_000;
/** A catalog confirmed within this time is not confirmed again, however many requests it refuses. */
const freshMs = 200;
/** How long a request waits for the confirmation of a catalog that is still young enough. */
const patienceMs = 1_000;

/** A request that is valid for the model and that the studio quoted. Amounts in 1/1000 credit. */
export type QuotedRequest = ValidatedRequest & {
  balance: StudioBalance;
  quote: string;
  /** Uploads that the request names, and uploads that its accept will make for addresses. */
  uploads: readonly NamedUpload[] | undefined;
  /** The body as sent. For a mask that was sent as data, it names the upload made of the mask. */
  sentBody: unknown;
};

/** `service/src/account/age-verification.ts` implements `ageVerified`. */
export type QuotingDependencies = {
  database: Database;
  catalogCache: CatalogCache;
  ageVerified: AgeVerification;
  quotes: QuoteBatcher;
  references: ReferenceDependencies;
};

type CreateToQuote = {
  accountId: string;
  kind: Kind;
  /** The body, already valid for the schema of its kind. */
  body: unknown;
};

/**
 * Resolves a create's references, validates its body against the catalog, checks its cost before anything is sent, and
 * asks the studio for a quote (docs/api.md §4). The accept checks whether the credits suffice. `checkBudget` throws
 * `budget_exceeded` when the cost exceeds the rest of the key's daily budget.
 * @throws ApiProblem the first refusal in that order
 */
export async function validateAndQuote(
  dependencies: QuotingDependencies,
  request: CreateToQuote & {
    /** The studio's log lines contain this id too. */
    requestId: string;
    checkBudget: (costMillicredits: number) => void | Promise<void>;
  },
): Promise<QuotedRequest> {
  const { accountId, kind, body, requestId, checkBudget } = request;
  const { database, references } = dependencies;
  const resolved = await resolveReferences(references, { accountId, body: body as Referring });
  const { answer, ...validated } = await quoteOnceOrTwice(dependencies, {
    accountId,
    validate: (catalog) => {
      const valid = validateBody(catalog, kind, resolved?.body ?? body);
      return { ...valid, renderRequest: { ...valid.renderRequest, request_id: requestId } };
    },
    resolved,
    moderate: true,
    checkCost: checkBudget,
    refusal: (quote, { costMillicredits }) =>
      refusalOf(quote, {
        costMillicredits,
        lacksCredits: async () =>
          (await availableCredits(database, accountId, quote.balance)).total < costMillicredits,
        ownRefusal: resolved?.refusal,
      }),
  });
  if (answer.quote === null) throw new Error('a quote that nothing refuses is not there');
  return {
    ...validated,
    balance: answer.balance,
    quote: answer.quote,
    uploads: resolved?.uploads,
    sentBody: resolved?.sentBody ?? body,
  };
}

/**
 * Like `validateAndQuote`, for an estimate: moderates nothing, and does not refuse because of state, budget or credits.
 * @throws ApiProblem
 */
export async function validateAndPrice(
  dependencies: QuotingDependencies,
  { accountId, kind, body }: CreateToQuote,
): Promise<ValidatedRequest & { balance: StudioBalance }> {
  const resolved = await resolveReferences(dependencies.references, {
    accountId,
    body: body as Referring,
    estimate: true,
  });
  const { answer, ...validated } = await quoteOnceOrTwice(dependencies, {
    accountId,
    validate: (catalog) => validateBody(catalog, kind, resolved?.body ?? body),
    resolved,
    moderate: false,
    checkCost: () => {},
    refusal: async (quote, { costMillicredits }) => estimateRefusalOf(quote, costMillicredits),
  });
  return { ...validated, balance: answer.balance };
}

/** Begins with any cached catalog. The quote shows whether it is the current one; if not, validates once more. */
async function quoteOnceOrTwice(
  dependencies: QuotingDependencies,
  round: Round,
): Promise<ValidatedRequest & { answer: QuoteResult }> {
  const { catalogCache } = dependencies;
  const { accountId } = round;
  let read = catalogCache.peek(accountId) ?? (await translated(catalogCache.get(accountId)));
  let { validated, catalog } = await validateConfirmed(dependencies, round, read);
  await round.checkCost(validated.costMillicredits);
  await round.resolved?.sendMask();
  let answer = await ask(dependencies.quotes, round, validated);
  let refusal = isOther(answer.balance, catalog) ? 'price_changed' : await round.refusal(answer, validated);
  if (refusal === 'price_changed') {
    // The catalog was not the one that the studio uses now: read it and validate again, once.
    read = await translated(catalogCache.get(accountId, { maxAgeMs: 0 }));
    const before = validated.renderRequest;
    ({ validated, catalog } = await validateConfirmed(dependencies, round, read));
    await round.checkCost(validated.costMillicredits);
    if (
      answer.cost_millicredits !== validated.costMillicredits ||
      !isDeepStrictEqual(validated.renderRequest, before)
    )
      answer = await ask(dependencies.quotes, round, validated);
    refusal = await round.refusal(answer, validated);
  }
  if (refusal === 'price_changed') throw priceUnclear();
  if (refusal !== undefined) throw refusal;
  return { ...validated, outputs: answer.outputs || validated.outputs, answer };
}

/** The differences between a create and an estimate. */
type Round = {
  accountId: string;
  validate: (catalog: Catalog) => ValidatedRequest;
  resolved: ResolvedReferences | undefined;
  moderate: boolean;
  checkCost: (costMillicredits: number) => void | Promise<void>;
  refusal: (
    quote: QuoteResult,
    validated: ValidatedRequest,
  ) => Promise<ApiProblem | 'price_changed' | undefined>;
};

/**
 * Validates against a catalog. Before a refusal, asks the studio to confirm the catalog if possible: a plan or a model
 * may just have changed. When the studio is unreachable or the session has ended, the catalog's refusal is the answer.
 */
async function validateConfirmed(
  deps: { catalogCache: CatalogCache; ageVerified: AgeVerification },
  round: Round,
  read: CatalogRead,
): Promise<{ validated: ValidatedRequest; catalog: Catalog }> {
  try {
    return { validated: await validateOnce(deps, round, read.catalog), catalog: read.catalog };
  } catch (error) {
    if (!(error instanceof ApiProblem) || performance.now() - read.readAt <= freshMs) throw error;
    const confirmed = await confirm(deps.catalogCache, round.accountId, read);
    if (confirmed === undefined || confirmed.catalog === read.catalog) throw error;
    return { validated: await validateOnce(deps, round, confirmed.catalog), catalog: confirmed.catalog };
  }
}

/**
 * Reads the catalog again. Returns `undefined` when the studio does not answer, or when it is slow and our catalog is
 * young enough.
 */
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

async function validateOnce(
  deps: { ageVerified: AgeVerification },
  round: Round,
  catalog: Catalog,
): Promise<ValidatedRequest> {
  const validated = round.validate(catalog);
  if (validated.model.nsfw) requireAge(validated.model, await translated(deps.ageVerified(round.accountId)));
  return validated;
}

async function ask(quotes: QuoteBatcher, round: Round, validated: ValidatedRequest): Promise<QuoteResult> {
  const { moderate, resolved } = round;
  return translated(
    quotes.quote(round.accountId, validated.renderRequest, { moderate, coming: resolved?.coming ?? [] }),
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
