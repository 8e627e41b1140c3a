import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { availableCredits } from '../credits/available-credits.ts';
import type { Handlers } from '../http/handler.ts';
import { type QuotingDependencies, validateAndPrice } from '../quotes/validate-and-quote.ts';

/** Returns what a create would cost (docs/api.md §4). Validates the request as a create does, but makes nothing. */
export function estimateRoutes(deps: {
  quoting: QuotingDependencies;
  database: Database;
}): Pick<Handlers, 'estimate'> {
  return {
    estimate: async ({ principal, body: { kind, ...body } }) => {
      const accountId = principal.account.id;
      const priced = await validateAndPrice(deps.quoting, { accountId, kind, body });
      const { total } = await availableCredits(deps.database, accountId, priced.balance);
      return {
        object: 'estimate',
        kind,
        model: priced.model.id,
        credits: creditsOf(priced.costMillicredits),
        balance: creditsOf(total),
        sufficient: total >= priced.costMillicredits,
        outputs: priced.outputs,
      };
    },
  };
}
