import { Type, type Static } from 'typebox';
import { realAnswers } from '../real-answers.ts';
import { closed, nullable } from './schema-builders.ts';

/** `service/src/credits/available-credits.ts` computes the balance. */
export const Balance = closed(
  {
    object: Type.Literal('balance'),
    balance: Type.Number({
      description:
        'Credits that can be spent now: `monthly` and `lifetime` together, less what waits to be charged.',
    }),
    monthly: nullable(Type.Number(), {
      description: 'Credits left of those that come with the plan each month.',
    }),
    lifetime: nullable(Type.Number(), {
      description: 'Credits left of those that were bought; they do not expire.',
    }),
    monthly_allowance: nullable(Type.Number(), { description: 'Credits that the plan gives each month.' }),
    next_refill: nullable(Type.String({ format: 'date-time' }), {
      description: 'When the monthly credits renew.',
    }),
  },
  {
    title: 'Balance',
    description: 'What the account can spend.',
    examples: [realAnswers.balance],
  },
);

export type Balance = Static<typeof Balance>;
