import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import { creditsOf } from '../../amounts.ts';

/** What the audit says of a key's settings, as far as they are given. */
export function detailsOfKey(settings: {
  scopes?: readonly Scope[];
  dailyBudgetMillicredits?: number | null;
  rateLimitPerMinute?: number;
  expiresInDays?: number | null;
}): Record<string, string> {
  const { scopes, dailyBudgetMillicredits: budget, rateLimitPerMinute: rate, expiresInDays: days } = settings;
  return {
    ...(scopes !== undefined && { scopes: scopes.join(', ') }),
    ...(budget !== undefined && { daily_budget: budget === null ? 'none' : String(creditsOf(budget)) }),
    ...(rate !== undefined && { rate_limit: String(rate) }),
    ...(days != null && { expires_in_days: String(days) }),
  };
}
