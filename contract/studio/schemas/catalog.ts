import { Type, type Static } from 'typebox';
import { eachSetting, maxTextOptionCharacters, optionTypes, suites } from '../kinds.ts';
import { count, id, link, longText, millicredits, nullable, oneOf, shortText } from './schema-builders.ts';

const range = nullable(
  Type.Object({ min: Type.Number(), max: Type.Number(), step: Type.Number(), default: Type.Number() }),
);
export const ModelOption = Type.Object({
  key: shortText,
  name: shortText,
  type: oneOf(optionTypes),
  values: Type.Optional(Type.Array(Type.Object({ value: shortText, label: shortText }), { maxItems: 100 })),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  step: Type.Optional(Type.Number()),
  /** The maximum length of a text, in characters. */
  max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: maxTextOptionCharacters })),
  default: Type.Union([Type.String({ maxLength: maxTextOptionCharacters }), Type.Number()]),
});
export type ModelOption = Static<typeof ModelOption>;

/**
 * The subjects that a model can draw: for each subject's name, the words of prompts that mean it. The order is the
 * order in which they are shown. Words are in lower case, separated by a space; plurals with s may be omitted.
 */
export const Subjects = Type.Record(
  Type.String({ pattern: '^\\S.{0,98}\\S$' }),
  Type.String({
    maxLength: 5_000,
    pattern: '^[\\p{Ll}\\p{Lo}\\p{N}]+(?: [\\p{Ll}\\p{Lo}\\p{N}]+)*$',
    description: 'words in small letters with one space between them',
  }),
  { minProperties: 1, maxProperties: 20 },
);
export type Subjects = Static<typeof Subjects>;

export const StudioModel = Type.Object({
  id,
  name: shortText,
  kind: oneOf(['system', 'custom', 'character'] as const),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  default_for: Type.Array(oneOf(suites), { maxItems: 4 }),
  inpaint: Type.Boolean(),
  nsfw: Type.Boolean(),
  description: nullable(longText),
  thumbnail: nullable(link),
  prompt_required: Type.Boolean(),
  /** Plans that include the model; empty means every plan. */
  tiers: Type.Array(shortText, { maxItems: 20 }),
  batch_size: Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 16 })),
  parameters: Type.Object({
    aspect_ratios: Type.Array(Type.Object({ ratio: shortText, width: count, height: count }), {
      maxItems: 50,
    }),
    same_ratio_supported: Type.Boolean(),
    video_aspect_ratios: Type.Array(shortText, { maxItems: 50 }),
    durations: Type.Array(Type.Object({ value: shortText, label: shortText }), { maxItems: 50 }),
    ...eachSetting(() => range),
    /** The available samplers, joined by commas; the first is the default. `null` when there is no choice. */
    sampler: nullable(longText),
    max_reference_images: count,
    frames: Type.Object({
      start: Type.Boolean(),
      start_required: Type.Boolean(),
      end: Type.Boolean(),
      end_required: Type.Boolean(),
    }),
    audio: nullable(Type.Object({ max_quantity: count, max_duration: Type.Number() })),
    source_video: nullable(
      Type.Object({
        max_duration: Type.Number(),
        min_width: nullable(Type.Number()),
        min_height: nullable(Type.Number()),
        max_filesize_mb: nullable(Type.Number()),
      }),
    ),
    options: Type.Array(ModelOption, { maxItems: 50 }),
  }),
  base_models: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ options: Type.Array(shortText, { maxItems: 50 }), default: shortText }),
    ),
  ),
  element: Type.Optional(Type.Boolean()),
  /** When omitted, the model can draw any subject. */
  subjects: Type.Optional(Subjects),
  /**
   * The usual time of one run: the time of its sample, else the value of the person who added the model. Omitted when
   * it is unknown.
   */
  usual_seconds: Type.Optional(Type.Number({ minimum: 0 })),
  price: Type.Object({
    base_millicredits: millicredits,
    per_second_millicredits: Type.Optional(millicredits),
    per_reference_millicredits: Type.Optional(millicredits),
    options: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), millicredits))),
  }),
});
export type StudioModel = Static<typeof StudioModel>;

export const StudioStyle = Type.Object({
  id,
  name: shortText,
  type: oneOf(['image', 'video'] as const),
  custom: Type.Boolean(),
});
export type StudioStyle = Static<typeof StudioStyle>;
export const StudioSuggestion = Type.Object({
  id,
  name: shortText,
  category: nullable(shortText),
  category_id: nullable(shortText),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  media_seconds: Type.Number({ minimum: 0 }),
});
export type StudioSuggestion = Static<typeof StudioSuggestion>;

/**
 * All models with their plans and prices, for any plan of the account, so that requests for unavailable models can be
 * validated too.
 */
export const Catalog = Type.Object({
  version: id,
  plan: nullable(shortText),
  models: Type.Array(StudioModel, { maxItems: 2_000 }),
  styles: Type.Array(StudioStyle, { maxItems: 2_000 }),
  suggestions: Type.Array(StudioSuggestion, { maxItems: 5_000 }),
});
export type Catalog = Static<typeof Catalog>;
