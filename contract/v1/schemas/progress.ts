import { Type, type Static } from 'typebox';
import { progressStages, queueReasons, type ProgressStage, type QueueReason } from '../progress.ts';
import { realAnswers } from '../real-answers.ts';
import { GenerationParams } from './generation.ts';
import { closed, nullable, oneOf, timestamp } from './schema-builders.ts';

const seconds = (description: string) =>
  nullable(
    closed({
      low: Type.Number({ minimum: 0, description: 'A fifth of generations like it took less.' }),
      high: Type.Number({ minimum: 0, description: 'A fifth of generations like it took more.' }),
    }),
    { description },
  );
const words = <Word extends string>(table: Readonly<Record<Word, string>>) => Object.keys(table) as Word[];

export const Progress = closed(
  {
    object: Type.Literal('progress'),
    generation_id: Type.String({ description: 'Starts with `gen_`.' }),
    stage: oneOf(words<ProgressStage>(progressStages), { description: 'What is being done.' }),
    fraction: nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'How much of it is done, never less than before. Null where nobody knows.',
    }),
    step: nullable(Type.Integer({ minimum: 0 }), { description: "The engine's step, of `steps`." }),
    steps: nullable(Type.Integer({ minimum: 0 }), { description: 'How many there are.' }),
    outputs_done: Type.Integer({ minimum: 0, description: 'Outputs that are finished.' }),
    outputs_expected: Type.Integer({ minimum: 0, description: 'Outputs that it will have.' }),
    queue: nullable(
      closed({
        position: nullable(Type.Integer({ minimum: 1 }), {
          description: '1 is the next. Null where it is not counted.',
        }),
        of: nullable(Type.Integer({ minimum: 1 }), { description: 'How many wait there.' }),
        reason: oneOf(words<QueueReason>(queueReasons), { description: 'Why it waits.' }),
      }),
      { description: 'Null where it does not wait.' },
    ),
    starts_in_seconds: seconds(
      'When an engine begins, by what was measured before. Null where that says nothing.',
    ),
    finishes_in_seconds: seconds(
      'When it is done, by what was measured before. Null where that says nothing.',
    ),
    at: timestamp('When this was so.'),
  },
  {
    title: 'Progress',
    description: 'How far a generation is, while it is on its way. Nothing is kept of it.',
    examples: [realAnswers.progress],
  },
);
export type Progress = Static<typeof Progress>;

export const previewModes = ['link', 'inline', 'none'] as const;
export type PreviewMode = (typeof previewModes)[number];

/** The data of a `preview` event. */
export const Preview = closed(
  {
    object: Type.Literal('preview'),
    generation_id: Type.String({ description: 'Starts with `gen_`.' }),
    index: Type.Integer({ minimum: 0, description: 'Which of the outputs it shows, from 0.' }),
    revision: Type.Integer({ minimum: 0, description: 'Grows with each preview.' }),
    url: Type.String({
      description: 'Where its bytes are, below the address of the API; with `inline` a data URL.',
    }),
    width: Type.Integer({ minimum: 1, description: 'Pixels.' }),
    height: Type.Integer({ minimum: 1, description: 'Pixels.' }),
    content_type: Type.Literal('image/jpeg'),
  },
  { title: 'Preview', description: 'A small picture of what is being made.' },
);
export type Preview = Static<typeof Preview>;

export const GenerationEventsQuery = closed({
  preview: Type.Optional(
    oneOf(previewModes, {
      description:
        'Whether previews are told by a link, come whole, or not at all. By a link unless said otherwise.',
    }),
  ),
});

export const PreviewParams = closed({
  ...GenerationParams.properties,
  index: Type.String({ minLength: 1, maxLength: 3, description: 'Which of the outputs, from 0.' }),
});

export const PreviewQuery = closed({
  r: Type.Optional(
    Type.String({
      maxLength: 20,
      pattern: '^[0-9]*$',
      description:
        'A revision, so that the address changes with the picture. The answer is the newest in any case.',
    }),
  ),
});

/** The answer is lines of events, not JSON. */
export const EventStream = Type.String({
  description:
    'Server-sent events: `generation` and `progress` first, then `progress`, `preview` and `generation` as they come, `done` ' +
    'last. The data of each is JSON: a Generation, a Progress or a Preview.',
});

export const PreviewBytes = Type.String({ format: 'binary', description: 'A JPEG of 384 pixels at most.' });
