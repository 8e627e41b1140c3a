import { Type, type Static } from 'typebox';
import { problemCodeNames, type ProblemCode } from '../problem-codes.ts';
import { realAnswers } from '../real-answers.ts';
import { closed } from './schema-builders.ts';

export const FieldError = closed({
  field: Type.String({ description: 'Path of the field: `options.steps`, `reference_images[2]`.' }),
  message: Type.String({ description: 'What is wrong with it.' }),
});

export type FieldError = Static<typeof FieldError>;

export const Problem = closed(
  {
    type: Type.String({ description: 'Link to what the code means.' }),
    title: Type.String({ description: 'Reason phrase of the status.' }),
    status: Type.Integer({ description: 'Status of the answer.' }),
    code: Type.Unsafe<ProblemCode>({
      type: 'string',
      enum: problemCodeNames,
      description: 'Stable; decide by this.',
    }),
    detail: Type.String({ description: 'What happened, for people.' }),
    request_id: Type.String({ description: 'Starts with `req_`; the same as the header X-Request-Id.' }),
    errors: Type.Optional(Type.Array(FieldError, { description: 'One entry for each field that is wrong.' })),
  },
  {
    title: 'Problem',
    description: 'A refusal, as RFC 9457 has it.',
    examples: [realAnswers.problem],
  },
);

export type Problem = Static<typeof Problem>;
