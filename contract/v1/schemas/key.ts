import { Type, type Static } from 'typebox';
import { realAnswers } from '../real-answers.ts';
import { scopes } from '../scopes.ts';
import { closed, nullable, oneOf, timestamp } from './schema-builders.ts';

export const Key = closed(
  {
    object: Type.Literal('key'),
    id: Type.String({ description: 'Starts with `key_`; no secret.' }),
    name: Type.String({ description: 'As its person named it.' }),
    scopes: Type.Array(oneOf(scopes), { description: 'What it may do.' }),
    created_at: timestamp('When it was made.'),
    expires_at: nullable(Type.String({ format: 'date-time' }), { description: 'When it ends by itself.' }),
    requests_per_minute: Type.Integer({ minimum: 1, description: 'How often it may ask.' }),
    daily_budget: nullable(
      closed({
        credits: Type.Number({ description: 'What it may commit in a UTC day.' }),
        committed: Type.Number({
          description: 'What it has committed today; what failed or was canceled is not in it.',
        }),
        left: Type.Number({ description: 'What it may still commit today.' }),
        resets_at: timestamp('When the next day begins.'),
      }),
      { description: 'Null where it has none.' },
    ),
    confirm_above: nullable(Type.Number({ minimum: 0 }), {
      description:
        'Credits. A command line or an agent asks its person before it spends more at once; null: it need not ask.',
    }),
  },
  {
    title: 'Key',
    description: 'The API key that asks: what it may do and has left.',
    examples: [realAnswers.key],
  },
);

export type Key = Static<typeof Key>;
