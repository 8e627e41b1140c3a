import type { KeyObject } from 'node:crypto';
import { sentenceOf } from '@renderkit/contract/studio/issues.ts';
import { quoteLifetimeSeconds } from '@renderkit/contract/studio/operations.ts';
import { referencesOf } from '@renderkit/contract/studio/references.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { QuoteResult, QuotesRequest, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import {
  validateReferences,
  type ValidatedReferences,
} from '@renderkit/contract/studio/validate-references.ts';
import { accountState } from '../accounts/account-state.ts';
import { presentBalance } from '../accounts/present.ts';
import type { AccountFacts } from '../authentication/queries.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Moderation } from '../moderation/moderation.ts';
import { digestOf, signQuote } from './quote-token.ts';
import { refusal } from './refusals.ts';
import type { OwnAnswer, OwnQuestion } from './store.ts';
import { validateRender } from './validate-render.ts';

/** Looks up what the account has under an id. `routes.ts` implements it by `findOwn` in `store.ts`. */
export type FindOwn = (question: OwnQuestion) => Promise<OwnAnswer>;

export type QuoteDependencies = {
  quoteKey: KeyObject;
  moderation: Moderation;
  findOwn: FindOwn;
};

/** What all answers of one call are based on. */
type Asker = { account: AccountFacts; snapshot: CatalogSnapshot };

/**
 * Answers every well-formed request: its cost and outputs, the account's state and balance, and what prevents the
 * render. Refuses for concurrency only with `refuseConcurrency`, a fault that the operator injects.
 * `validate-render.ts` has the cost and the refusals by plan, age and values. Only
 * `studio/sql/functions/accept_renders.sql` refuses for lack of credits and for too many renders, at the submit.
 */
export async function createQuotes(
  { quotes }: QuotesRequest,
  asker: Asker & { nowSeconds: number },
  options: { refuseConcurrency: boolean },
  dependencies: QuoteDependencies,
): Promise<QuoteResult[]> {
  const { account, snapshot } = asker;
  const balance = presentBalance(account, snapshot);
  return Promise.all(
    quotes.map(async ({ request, moderate, coming = [] }) => {
      const result = await quote({ request, moderate, coming }, asker, dependencies);
      if (options.refuseConcurrency) result.refusal = refusal('concurrency');
      const stands =
        result.refusal === null &&
        result.unknown_ids.length === 0 &&
        result.invalid_fields?.length === 0 &&
        result.account_state === 'ok';
      return {
        ...result,
        balance,
        quote: stands
          ? signQuote(dependencies.quoteKey, {
              account: account.id,
              digest: digestOf(request),
              costMillicredits: result.cost_millicredits,
              outputs: result.outputs,
              moderated: moderate,
              expires: Math.floor(asker.nowSeconds) + quoteLifetimeSeconds,
              modelVersion: snapshot.models.get(request.model)?.version,
            })
          : null,
      };
    }),
  );
}

async function quote(
  { request, moderate, coming }: { request: RenderRequest; moderate: boolean; coming: string[] },
  { account, snapshot }: Asker,
  dependencies: QuoteDependencies,
): Promise<Omit<QuoteResult, 'balance' | 'quote'>> {
  const model = snapshot.models.get(request.model);
  const validated = validateRender(request, model, account);
  const [unknown, references] = await Promise.all([
    unknownChoices(request, { account, snapshot }, dependencies.findOwn),
    validateOwnReferences(
      { request, model, account: account.id, coming: new Set(coming) },
      dependencies.findOwn,
    ),
  ]);
  // An estimate (`moderate` is false) ignores rejected uploads, full storage and paused models, and moderates nothing.
  const refused =
    validated.refusal ??
    (moderate
      ? (rejectedRefusal(references) ?? fullStorageRefusal(account) ?? pausedRefusal(model))
      : undefined);
  const blocked =
    moderate && refused === undefined
      ? await dependencies.moderation.moderateText(moderatedText(request))
      : undefined;
  return {
    account_state: accountState(account),
    unknown_ids: [...unknown, ...references.unknown],
    invalid_fields: references.issues.map((issue) => ({ field: issue.field, message: sentenceOf(issue) })),
    cost_millicredits: validated.costMillicredits,
    outputs: validated.outputs,
    refusal: refused ?? (blocked === undefined ? null : moderationRefusal(blocked.reason)),
  };
}

/** Refuses a request that names an upload which moderation has rejected. */
export function rejectedRefusal({ rejected: field }: ValidatedReferences): Refusal | undefined {
  return field === undefined
    ? undefined
    : refusal('moderation_blocked', { field, message: 'The upload was rejected: it cannot be used.' });
}

/** Refuses new renders while the account's storage is full. What was quoted before is still rendered and kept. */
function fullStorageRefusal({ storage }: AccountFacts): Refusal | undefined {
  const { used_bytes, limit_bytes } = storage;
  return used_bytes < limit_bytes
    ? undefined
    : refusal('storage_full', { storage: { used_bytes, limit_bytes } });
}

/** Refuses new renders of a paused model. What was quoted before waits until something can make it. */
function pausedRefusal(model: CatalogModel | undefined): Refusal | undefined {
  return model === undefined || model.paused === null ? undefined : refusal('model_paused');
}

/** Returns all text of a request that the user wrote. */
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

/** Looks up the media that a request names and returns what is wrong with them. Makes no look-up if it names none. */
export async function validateOwnReferences(
  {
    request,
    model,
    account,
    coming = new Set(),
  }: {
    request: RenderRequest;
    model: CatalogModel | undefined;
    account: string;
    coming?: ReadonlySet<string>;
  },
  findOwn: FindOwn,
): Promise<ValidatedReferences> {
  const ids = [...new Set(referencesOf(request).map(({ value }) => value))];
  const answers = await Promise.all(ids.map((id) => findOwn({ account, kind: 'media', id })));
  const own = new Map(
    ids.flatMap((id, i) => {
      const media = answers[i]?.media;
      return media === undefined ? [] : [[id, media] as const];
    }),
  );
  return validateReferences(request, model?.offered.parameters, own, coming);
}

/** Returns the paths, as in the request, of projects, styles and suggestions that the account does not have. */
async function unknownChoices(
  request: RenderRequest,
  { account: { id: account }, snapshot }: Asker,
  findOwn: FindOwn,
): Promise<string[]> {
  const questions: [path: string, question: OwnQuestion][] = [];
  if (request.project_id !== null)
    questions.push(['project_id', { account, kind: 'project', id: request.project_id }]);
  request.styles.forEach((id, i) => {
    if (!snapshot.words.has(id)) questions.push([`styles[${i}]`, { account, kind: 'style', id }]);
  });
  const unknown = request.suggestions.flatMap((id, i) =>
    snapshot.words.has(id) ? [] : [`suggestions[${i}]`],
  );
  const own = await Promise.all(questions.map(([, question]) => findOwn(question)));
  return [...questions.filter((_, i) => own[i] === undefined).map(([path]) => path), ...unknown];
}
