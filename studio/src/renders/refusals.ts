import type { RefusalCode } from '@renderkit/contract/studio/errors.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import { storageFullMessage } from '../storage/reserve.ts';

const messages: Record<RefusalCode, string> = {
  moderation_blocked: 'The prompt goes against the rules of this studio.',
  unprocessable: 'The studio cannot work with this request.',
  concurrency: 'The account already has as many renders running as its plan allows.',
  model_paused: 'This model is paused for now.',
  insufficient_credits: 'The account lacks the credits for this.',
  tier_required: 'The plan does not include this model.',
  forbidden: 'The account may not use this model.',
  storage_full: storageFullMessage,
  account_suspended: 'The account is suspended.',
  email_not_verified: 'The e-mail address of the account has not been verified.',
  geo_blocked: 'The studio is not available in the region of the account.',
  quote_invalid: 'The quote is unknown, has expired, or was made for another request.',
};

/**
 * Builds a refusal with the usual message of its code, or with a more exact one. `create-quotes.ts`,
 * `validate-render.ts`, `submit-render.ts` and `studio/sql/functions/accept_renders.sql` decide when to refuse. Users
 * of the API read the sentences of `service/src/quotes/studio-quotes.ts`.
 */
export function refusal(
  code: RefusalCode,
  details: { message?: string; field?: string; storage?: StorageUse } = {},
): Refusal {
  return {
    code,
    message: details.message ?? messages[code],
    ...(details.field !== undefined && { field: details.field }),
    ...(details.storage !== undefined && { storage: details.storage }),
  };
}
