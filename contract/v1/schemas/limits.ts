import { Type, type Static } from 'typebox';
import { realAnswers } from '../real-answers.ts';
import { closed } from './schema-builders.ts';

const lane = (description: string) =>
  closed(
    {
      limit: Type.Integer({ minimum: 0, description: 'How many may run at once.' }),
      running: Type.Integer({ minimum: 0, description: 'How many run now, wherever they were started.' }),
      queued: Type.Integer({ minimum: 0, description: 'How many wait in this service.' }),
    },
    { description },
  );

/**
 * The studio counts in `studio/sql/functions/limits_json.sql`; the function claim_generations_up_to applies the limits.
 */
export const Limits = closed(
  {
    object: Type.Literal('limits'),
    overall: closed(
      {
        limit: Type.Integer({ minimum: 0, description: 'How many may run at once, all kinds together.' }),
        running: Type.Integer({ minimum: 0, description: 'How many run now, wherever they were started.' }),
      },
      { description: 'All kinds together.' },
    ),
    image: lane('Images.'),
    edit: lane('Edits.'),
    video: lane('Videos and their extensions.'),
  },
  {
    title: 'Limits',
    description: 'How many generations the account may run at once, and how many it does.',
    examples: [realAnswers.limits],
  },
);

export type Limits = Static<typeof Limits>;
