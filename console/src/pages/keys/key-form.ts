import type {
  ApiKey,
  CreateApiKeyRequest,
  UpdateApiKeyRequest,
} from '@renderkit/contract/console/schemas/key.ts';
import { confirmAboveDefault, rateLimitPerMinuteDefault } from '@renderkit/contract/v1/limits.ts';
import { type Scope, scopes } from '@renderkit/contract/v1/scopes.ts';

export const defaultRateLimit = rateLimitPerMinuteDefault;

/** The value of a number input: a number, or empty text. */
export type NumberField = number | string;

/** The values of the form. `service/src/identity/keys/validate-key.ts` validates them. */
export type KeyForm = {
  name: string;
  scopes: string[];
  days: NumberField;
  budget: NumberField;
  rate: NumberField;
  confirm: NumberField;
};

export const emptyKey: KeyForm = {
  name: '',
  scopes: [...scopes],
  days: '',
  budget: '',
  rate: '',
  confirm: confirmAboveDefault,
};

export function toRequest(form: KeyForm): CreateApiKeyRequest {
  const days = numberOf(form.days);
  const rate = numberOf(form.rate);
  return {
    name: form.name.trim(),
    scopes: form.scopes.filter((one): one is Scope => (scopes as readonly string[]).includes(one)),
    daily_budget: numberOf(form.budget),
    confirm_above: numberOf(form.confirm),
    ...(days !== null && { expires_in_days: days }),
    ...(rate !== null && { rate_limit: rate }),
  };
}

export type EditForm = Pick<KeyForm, 'name' | 'budget' | 'rate' | 'confirm'>;

export function formOf(key: ApiKey): EditForm {
  return {
    name: key.name,
    budget: key.daily_budget ?? '',
    rate: key.rate_limit,
    confirm: key.confirm_above ?? '',
  };
}

/** Returns only the changed fields: another person may have changed the others in the meantime. */
export function changesOf(key: ApiKey, form: EditForm): UpdateApiKeyRequest {
  const name = form.name.trim();
  const budget = numberOf(form.budget);
  const rate = numberOf(form.rate);
  const confirm = numberOf(form.confirm);
  return {
    ...(name !== key.name && { name }),
    ...(budget !== key.daily_budget && { daily_budget: budget }),
    ...(rate !== null && rate !== key.rate_limit && { rate_limit: rate }),
    ...(confirm !== key.confirm_above && { confirm_above: confirm }),
  };
}

function numberOf(field: NumberField): number | null {
  return typeof field === 'number' ? field : null;
}
