import type { Plan as PublishedPlan } from '@renderkit/contract/studio/administration/lists.ts';

/**
 * What an account may have and do. Plans are published as a list with any keys; the first plan is that of new accounts.
 * `read-list.ts` checks the list, and `putPlansInForce` in `publish.ts` refuses a list that lacks a plan in use and
 * gives accounts their new limits. `studio/sql/functions/accept_renders.sql` applies the limits of renders.
 */
export type Plan = Omit<PublishedPlan, 'monthly_credits'> & {
  /** Credits of a month, in 1/1000. */
  monthly_millicredits: number;
};
