import type { RefusalCode } from '@renderkit/contract/studio/errors.ts';
import type { StudioAccount } from '@renderkit/contract/studio/schemas/account.ts';
import type { QuoteResult } from '@renderkit/contract/studio/schemas/render.ts';
import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { storageFull, storageFullDetail } from '../studio-client/translate-error.ts';

const maxMessageCharacters = 200;
/** Seconds until a client should retry when the studio's concurrency limit is reached or a model is paused. */
const retrySeconds: { [Code in RefusalCode]?: number } = { concurrency: 5, model_paused: 30 };

type Refusal = { code: ProblemCode; detail: string };

const byState = {
  ok: undefined,
  suspended: { code: 'account_suspended', detail: 'The studio account is suspended.' },
  email_not_verified: {
    code: 'email_not_verified',
    detail: 'The e-mail address of the studio account has not been verified.',
  },
  region_blocked: { code: 'geo_blocked', detail: 'The studio is not available in this location.' },
} as const satisfies Record<StudioAccount['state'], Refusal | undefined>;

const unexpected: Refusal = {
  code: 'upstream_error',
  detail: 'The studio answered with an unexpected error.',
};

const byRefusal = {
  moderation_blocked: {
    code: 'moderation_blocked',
    detail: 'Moderation blocked the prompt or a reference image.',
  },
  unprocessable: { code: 'unprocessable', detail: 'The studio cannot work with this input.' },
  concurrency: {
    code: 'queue_full',
    detail: 'The account has as many generations running as its plan allows.',
  },
  model_paused: {
    code: 'upstream_unavailable',
    detail: 'This model is paused for now. Try again later, or choose another model.',
  },
  insufficient_credits: {
    code: 'insufficient_credits',
    detail: 'The account lacks the credits for this generation.',
  },
  tier_required: { code: 'tier_required', detail: 'The plan does not include what was asked for.' },
  forbidden: { code: 'forbidden', detail: 'The studio does not allow this to the account.' },
  storage_full: { code: 'forbidden', detail: storageFullDetail(undefined) },
  account_suspended: byState.suspended,
  email_not_verified: byState.email_not_verified,
  geo_blocked: byState.region_blocked,
  quote_invalid: unexpected,
} as const satisfies Record<RefusalCode, Refusal>;

/** The shape of a field that the studio may name: a part of a request, with at most one index or key. */
const fieldShape = /^[a-z_]{1,40}(\[\d{1,3}\]|\.[\w-]{1,100})?$/;
const idFieldShape =
  /^(project_id|image|mask|start_image|end_image|source_video|video_id|(reference_images|reference_audios|styles|suggestions)\[\d{1,3}\])$/;

const missing: Record<string, string> = {
  project_id: 'there is no such project',
  video_id: 'there is no such video in the library',
  mask: 'there is no such upload',
  styles: 'there is no such style',
  suggestions: 'there is no such suggestion',
};

/**
 * Returns the first refusal that a quote results in. The order is: the account's state, ids of other accounts, another
 * price than in the catalog, credits, and last the studio's refusal. `lacksCredits` is called only when credits decide
 * between two refusals; the accept checks credits in any case. The studio decides about its refusal in
 * `studio/src/renders/create-quotes.ts`.
 */
export async function refusalOf(
  quote: QuoteResult,
  validated: {
    costMillicredits: number;
    lacksCredits: () => Promise<boolean>;
    /** Our own refusal, for when the studio does not refuse. */
    ownRefusal?: ApiProblem | undefined;
  },
): Promise<ApiProblem | 'price_changed' | undefined> {
  const state = byState[quote.account_state];
  if (state !== undefined) return new ApiProblem(state.code, { detail: state.detail });
  const misnamed = misnamedFields(quote);
  if (misnamed !== undefined) return misnamed;
  if (quote.cost_millicredits !== validated.costMillicredits) return 'price_changed';
  if (quote.refusal === null && validated.ownRefusal === undefined)
    return quote.quote === null || quote.outputs === 0
      ? new ApiProblem(unexpected.code, unexpected)
      : undefined;
  if (quote.refusal?.code !== 'insufficient_credits' && (await validated.lacksCredits()))
    return problemOf({ code: 'insufficient_credits' });
  return quote.refusal === null ? validated.ownRefusal : problemOf(quote.refusal);
}

/**
 * Like `refusalOf`, for an estimate. It checks less: ids, the price, and what the plan or the account may never have.
 */
export function estimateRefusalOf(
  quote: QuoteResult,
  costMillicredits: number,
): ApiProblem | 'price_changed' | undefined {
  const misnamed = misnamedFields(quote);
  if (misnamed !== undefined) return misnamed;
  if (quote.cost_millicredits !== costMillicredits) return 'price_changed';
  const { refusal } = quote;
  return refusal?.code === 'tier_required' || refusal?.code === 'forbidden' ? problemOf(refusal) : undefined;
}

/** Converts a refusal of the studio to our problem, with our sentence, and the field when the studio names one. */
export function problemOf(refusal: { code: RefusalCode; field?: string; storage?: StorageUse }): ApiProblem {
  if (refusal.code === 'storage_full') return storageFull(refusal.storage);
  const known: Refusal = byRefusal[refusal.code];
  const named = known.code === 'unprocessable' || known.code === 'moderation_blocked';
  const field =
    named && refusal.field !== undefined && fieldShape.test(refusal.field) ? refusal.field : undefined;
  const retryAfterSeconds = retrySeconds[refusal.code];
  return new ApiProblem(known.code, {
    detail: known.detail,
    ...(field !== undefined && { errors: [{ field, message: known.detail }] }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    refusedByStudio: true,
  });
}

/**
 * Returns the refusal of fields that name something the account does not have, or something that cannot be used there.
 */
function misnamedFields({
  unknown_ids: unknown,
  invalid_fields: invalid = [],
}: QuoteResult): ApiProblem | undefined {
  if (unknown.length + invalid.length === 0) return undefined;
  const errors: FieldError[] = unknown.map((field) => ({
    field,
    message: missing[field.split('[')[0] ?? ''] ?? 'there is no such item in the library, and no such upload',
  }));
  for (const { field, message } of invalid) errors.push({ field, message: plainLineOf(message) });
  return invalidRequest(errors.filter(({ field }) => idFieldShape.test(field)));
}

/** Only the studio knows why something cannot be used. Its sentence is passed on as one line of plain text. */
function plainLineOf(message: string): string {
  const line = message.replace(/[\p{C}\s]+/gu, ' ').slice(0, maxMessageCharacters);
  return line.toWellFormed().trim() || 'cannot be used here';
}

function invalidRequest(errors: FieldError[]): ApiProblem {
  if (errors.length === 0) return new ApiProblem(unexpected.code, unexpected);
  return new ApiProblem('invalid_request', { errors });
}
