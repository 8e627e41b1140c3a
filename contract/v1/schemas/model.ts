import { Type, type Static } from 'typebox';
import { eachSetting, optionTypes, settingFacts } from '../../studio/kinds.ts';
import { maxPathIdCharacters, maxSearchCharacters } from '../limits.ts';
import { listOf, optionalPageQuery } from './list.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, mapOf, nullable, oneOf } from './schema-builders.ts';

/** What a model can be used for. `extend` continues a video. */
export const suites = ['image', 'edit', 'video', 'extend'] as const;
export type Suite = (typeof suites)[number];

export const modelKinds = ['system', 'custom', 'character'] as const;
export type ModelKind = (typeof modelKinds)[number];

const AspectRatio = closed({
  ratio: Type.String({ description: 'Sent as `aspect_ratio`.' }),
  width: Type.Number({ description: 'Pixels.' }),
  height: Type.Number({ description: 'Pixels.' }),
});

const Duration = closed({
  value: Type.String({ description: 'Seconds, to be sent as `duration`.' }),
  label: Type.String({ description: 'The same for people.' }),
});

const NumberRange = closed({
  min: Type.Number({ description: 'Smallest value.' }),
  max: Type.Number({ description: 'Largest value.' }),
  step: Type.Number({ description: 'Values are this far apart, from `min` on.' }),
  default: Type.Number({ description: 'Used when a request says nothing.' }),
});

const Frames = closed(
  {
    start: Type.Boolean({ description: 'Takes a `start_image`.' }),
    start_required: Type.Boolean({ description: 'Makes nothing without one.' }),
    end: Type.Boolean({ description: 'Takes an `end_image`.' }),
    end_required: Type.Boolean({ description: 'Makes nothing without one.' }),
  },
  { description: 'Which frames of a video it takes.' },
);

const Audio = closed({
  max_quantity: Type.Number({ description: 'How many `reference_audios` it takes.' }),
  max_duration: Type.Number({ description: 'Seconds of each.' }),
});

const SourceVideo = closed({
  max_duration: Type.Number({ description: 'Seconds.' }),
  min_width: nullable(Type.Number(), { description: 'Pixels.' }),
  min_height: nullable(Type.Number(), { description: 'Pixels.' }),
  max_filesize_mb: nullable(Type.Number(), { description: 'Megabytes.' }),
});

const textOrNumber = (description: string) =>
  Type.Unsafe<string | number>({ type: ['string', 'number'], description });

const Choice = closed({
  value: textOrNumber('Sent as the value of the option.'),
  label: Type.String({ description: 'The same for people.' }),
});

const ModelOption = closed({
  key: Type.String({ description: 'Name of the option in `options` of a request.' }),
  name: Type.String({ description: 'What people call it.' }),
  type: oneOf(optionTypes, {
    description: 'One of `values`, true or false, a number from `min` to `max`, or a text.',
  }),
  values: Type.Optional(Type.Array(Choice, { description: 'What a `select` offers.' })),
  min: Type.Optional(Type.Number({ description: 'Smallest value of a `slider`.' })),
  max: Type.Optional(Type.Number({ description: 'Largest value of a `slider`.' })),
  step: Type.Optional(Type.Number({ description: 'How far apart the values of a `slider` are.' })),
  max_length: Type.Optional(Type.Integer({ description: 'Most characters of a `text`.' })),
  default: textOrNumber('Used when a request says nothing; 0 or 1 for a `toggle`.'),
});

export const ModelParameters = closed(
  {
    aspect_ratios: Type.Array(AspectRatio, { description: 'Ratios and pixel sizes of pictures.' }),
    same_ratio_supported: Type.Boolean({ description: 'An edit can keep the ratio of its source.' }),
    video_aspect_ratios: Type.Array(Type.String(), { description: 'Ratios of videos.' }),
    durations: Type.Array(Duration, { description: 'Lengths of video that can be asked for.' }),
    ...eachSetting((name) => nullable(NumberRange, { description: settingFacts[name].description })),
    sampler: nullable(Type.String(), {
      description: 'Sampler used by default; null when none can be chosen.',
    }),
    max_reference_images: Type.Number({ description: 'How many `reference_images` it takes.' }),
    frames: Frames,
    audio: nullable(Audio, { description: 'What audio it takes; null when it takes none.' }),
    source_video: nullable(SourceVideo, {
      description: 'What video it starts from; null when from none.',
    }),
    options: Type.Array(ModelOption, { description: 'Settings of this model alone.' }),
  },
  { title: 'ModelParameters', description: 'What a request to this model may hold.' },
);

const BaseModel = closed({
  options: Type.Array(Type.String(), { description: 'Sent as `base_model`.' }),
  default: Type.String({ description: 'Used when a request says nothing.' }),
});

export const Model = closed(
  {
    id: Type.String({ description: 'May hold slashes; encode it when it stands in a path.' }),
    object: Type.Literal('model'),
    name: Type.String({ description: 'What people call it.' }),
    kind: oneOf(modelKinds, { description: "The platform's, the account's own, or a character." }),
    suites: Type.Array(oneOf(suites), { description: 'What the model can be used for.' }),
    default_for: Type.Array(oneOf(suites), {
      description: 'Suites whose requests use it when they name no model.',
    }),
    inpaint: Type.Boolean({ description: 'Can change a masked part of a picture.' }),
    nsfw: Type.Boolean({ description: 'Made for adults; needs an age-verified account.' }),
    description: nullable(Type.String(), { description: 'What it is good at.' }),
    thumbnail: nullable(Type.String(), { description: 'URL of a picture that shows its hand.' }),
    prompt_required: Type.Boolean({ description: 'Makes nothing without a prompt.' }),
    tiers: Type.Array(Type.String(), {
      description: 'Plans that include the model; empty where every plan does.',
    }),
    batch_size: mapOf(Type.Number(), { description: 'Outputs of one generation, by suite.' }),
    parameters: ModelParameters,
    base_models: Type.Optional(
      mapOf(BaseModel, { description: 'For characters: what they can be drawn with.' }),
    ),
    element: Type.Optional(Type.Boolean({ description: 'A part that others are put together with.' })),
  },
  {
    title: 'Model',
    description: 'Something that renders, and what it takes.',
    examples: [realAnswers.model],
  },
);

export type Model = Static<typeof Model>;
export type ModelParameters = Static<typeof ModelParameters>;

export const ModelList = listOf('ModelList', Model);

export const ListModelsQuery = closed({
  suite: Type.Optional(oneOf(suites, { description: 'Only models that can be used for this.' })),
  kind: Type.Optional(oneOf(modelKinds, { description: 'Only models of this kind.' })),
  search: Type.Optional(
    Type.String({
      maxLength: maxSearchCharacters,
      description: 'Only models whose name or description holds this.',
    }),
  ),
  ...optionalPageQuery,
});

export const ModelParams = closed({
  id: Type.String({
    minLength: 1,
    maxLength: maxPathIdCharacters,
    description: 'Id of the model, URL-encoded.',
  }),
});
