import { Type, type Static } from 'typebox';
import { maxPathIdCharacters, maxProjectIdCharacters } from '../limits.ts';
import { realAnswers } from '../real-answers.ts';
import { closed } from './schema-builders.ts';

export const Frame = closed(
  {
    object: Type.Literal('frame'),
    url: Type.String({ description: "A link to the image in the studio's storage." }),
  },
  {
    title: 'Frame',
    description: 'A frame of a video.',
    examples: [realAnswers.frame],
  },
);

export type Frame = Static<typeof Frame>;

export const CreateFrameRequest = closed(
  {
    time: Type.Unsafe<number | 'last'>({
      anyOf: [{ type: 'number', minimum: 0 }, { const: 'last' }],
      description: 'Seconds from the start, or `last`.',
    }),
    project_id: Type.Optional(
      Type.String({
        maxLength: maxProjectIdCharacters,
        description: 'Also saves the frame in this project.',
      }),
    ),
  },
  {
    title: 'CreateFrameRequest',
    description: 'Which moment, and where to keep it.',
    examples: [{ time: 1.5 }, { time: 'last' }],
  },
);

export const FrameParams = closed({
  id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: 'Id of the video.' }),
});
