import type { Database } from '@renderkit/server-kit/db/database.ts';
import { credits } from '../account/present.ts';
import { availableCredits } from '../credits/available-credits.ts';
import type { Handlers } from '../handler.ts';
import type { JudgeAndQuote } from '../quotes/validate-and-quote.ts';

/** What a create would cost (docs/api.md §4): the same judgement, and nothing is made. */
export function estimateRoutes(deps: {
  judgeAndQuote: Pick<JudgeAndQuote, 'judgeAndPrice'>;
  database: Database;
}): Pick<Handlers, 'estimate'> {
  return {
    estimate: async ({ principal, body: { kind, ...body } }) => {
      const accountId = principal.account.id;
      const judged = await deps.judgeAndQuote.judgeAndPrice({ accountId, kind, body });
      const { total } = await availableCredits(deps.database, accountId, judged.balance);
      return {
        object: 'estimate',
        kind,
        model: judged.model.id,
        credits: credits(judged.costMillicredits),
        balance: credits(total),
        sufficient: total >= judged.costMillicredits,
        outputs: judged.outputs,
      };
    },
  };
}
