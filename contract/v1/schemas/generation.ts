import { Type, type Static } from 'typebox';
import { maxPathIdCharacters, maxWaitSeconds } from '../limits.ts';
import { listOf, pageQuery } from './list.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, mapOf, nullable, oneOf, timestamp } from './schema-builders.ts';

export const generationKinds = ['image', 'image_edit', 'video', 'video_extend'] as const;
export type GenerationKind = (typeof generationKinds)[number];

export const generationStatuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type GenerationStatus = (typeof generationStatuses)[number];

/** Statuses that never change again. `service/src/generations/settle/status.ts` has all transitions. */
export const finalGenerationStatuses = [
  'succeeded',
  'failed',
  'canceled',
] as const satisfies readonly GenerationStatus[];

/**
 * `error.code` of a generation that succeeded with some outputs missing. `toFinal` in
 * `service/src/generations/settle/compose-transition.ts` decides it.
 */
export const partialFailureCode = 'partial_failure';

/** `error.code` of a generation that the studio will never render, because its token was tombstoned there. */
export const renderLostCode = 'render_lost';

/**
 * `error.code` of a generation that an engine could not make, or that was stopped. In addition, problem codes are used
 * for a refused request (docs/api.md §2). The studio decides the code: `studio/src/renders/submission-failure.ts`.
 * `service/src/generations/settle/failure-sentences.ts` has the messages.
 */
export const renderErrorCodes = [
  'invalid_request',
  'render_timeout',
  'out_of_memory',
  'engine_unavailable',
  'outcome_unknown',
  'render_failed',
  renderLostCode,
  'stopped',
] as const;

export type RenderErrorCode = (typeof renderErrorCodes)[number];

export const outputTypes = ['image', 'video'] as const;

export const Output = closed(
  {
    id: Type.String({ description: 'Also its id in the library.' }),
    type: oneOf(outputTypes, { description: 'What it is.' }),
    url: Type.String({ description: "A link to the studio's storage." }),
    thumb_url: nullable(Type.String(), { description: 'A link to a small picture of it.' }),
    width: nullable(Type.Number(), { description: 'Pixels.' }),
    height: nullable(Type.Number(), { description: 'Pixels.' }),
    duration: nullable(Type.Number(), { description: 'Seconds.' }),
    nsfw: Type.Boolean({ description: 'Only for adults.' }),
    request_id: nullable(Type.Number(), { description: "The studio's number for this part of the job." }),
  },
  { title: 'Output', description: 'One picture or video that a generation made.' },
);

export type Output = Static<typeof Output>;

const GenerationError = closed({
  code: Type.String({ description: 'A problem code, `partial_failure`, or why it could not be made.' }),
  message: Type.String({ description: 'A sentence for people.' }),
});

export const Generation = closed(
  {
    id: Type.String({ description: 'Starts with `gen_`.' }),
    object: Type.Literal('generation'),
    kind: oneOf(generationKinds, { description: 'Which of the four creates made it.' }),
    status: oneOf(generationStatuses, { description: 'How far it is; the last three are final.' }),
    model: Type.String({ description: 'Id of the model that renders it.' }),
    project_id: nullable(Type.String(), {
      description: 'Null until a default project has been found for it.',
    }),
    cost: closed(
      { credits: nullable(Type.Number(), { description: 'Fixed when the generation is created.' }) },
      { description: 'What it costs.' },
    ),
    expected_outputs: Type.Integer({ minimum: 0, description: 'How many outputs it will have.' }),
    outputs: Type.Array(Output, { description: 'Empty until it has succeeded.' }),
    error: nullable(GenerationError, { description: 'Why it failed, or what is missing.' }),
    prompt_id: nullable(Type.String(), { description: "The studio's id of the job." }),
    metadata: mapOf(Type.String(), { description: 'As sent in the request.' }),
    created_at: timestamp('When it was accepted.'),
    submitted_at: nullable(Type.String({ format: 'date-time' }), { description: 'When the studio took it.' }),
    completed_at: nullable(Type.String({ format: 'date-time' }), {
      description: 'When it reached its last status.',
    }),
  },
  {
    title: 'Generation',
    description: 'A job: what was asked for, how far it is, what came of it.',
    examples: [realAnswers.generation, realAnswers.videoGeneration],
  },
);

export type Generation = Static<typeof Generation>;

const erasedNote = 'Null where its texts were erased.';

export const GenerationRequest = closed(
  {
    object: Type.Literal('generation_request'),
    generation_id: Type.String({ description: 'Starts with `gen_`.' }),
    path: Type.String({
      description: 'Where it was sent, with POST: the path of one of the four creates.',
      examples: ['/v1/images/generations'],
    }),
    body: nullable(mapOf(Type.Unknown()), {
      description:
        'As it was sent. A mask that came as data is named by the upload that it became. ' + erasedNote,
    }),
    seed: nullable(Type.Integer({ minimum: 0 }), {
      description:
        'That the outputs were drawn from, also where none was asked for; of several jobs the first. Null until it has ' +
        'succeeded, and where the engine takes none.',
    }),
    model_version: nullable(Type.Integer({ minimum: 1 }), {
      description: 'Of the model, that made them. Null until it has succeeded.',
    }),
    repeat: nullable(mapOf(Type.Unknown()), {
      description:
        'A body that asks for the same: with what the model filled in, and the seed that was used. While the model has the ' +
        'same version, an engine that draws by its seed makes the same. ' +
        erasedNote,
    }),
  },
  {
    title: 'GenerationRequest',
    description: 'What a generation was asked for, and what it takes to make it again.',
  },
);

export type GenerationRequest = Static<typeof GenerationRequest>;

export const GenerationList = listOf('GenerationList', Generation);

export const ListGenerationsQuery = closed({
  status: Type.Optional(oneOf(generationStatuses, { description: 'Only generations in this status.' })),
  kind: Type.Optional(oneOf(generationKinds, { description: 'Only generations of this kind.' })),
  ...pageQuery,
});

export const GetGenerationQuery = closed({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxWaitSeconds,
      description:
        'Seconds to hold the answer back until the generation has finished. Counts as one request.',
    }),
  ),
});

export const GenerationParams = closed({
  id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: 'Id of the generation.' }),
});
