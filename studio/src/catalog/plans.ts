import type { Plan as PublishedPlan } from '@renderkit/contract/studio/administration/lists.ts';

/**
 * What an account may have and do. Plans are published as a list with any keys; the first plan is that of new accounts.
 */
export type Plan = Omit<PublishedPlan, 'monthly_credits'> & {
  /** Credits of a month, in 1/1000. */
  monthly_millicredits: number;
};
