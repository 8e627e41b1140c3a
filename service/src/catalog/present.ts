import { eachSetting } from '@renderkit/contract/studio/kinds.ts';
import type {
  StudioModel,
  StudioStyle,
  StudioSuggestion,
} from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { Style } from '@renderkit/contract/v1/schemas/style.ts';
import type { Suggestion } from '@renderkit/contract/v1/schemas/suggestion.ts';

// Copies field by field, so that other fields of the studio, above all prices, stay internal.

export function presentModel(model: StudioModel): Model {
  return {
    id: model.id,
    object: 'model',
    name: model.name,
    kind: model.kind,
    suites: model.suites,
    default_for: model.default_for,
    inpaint: model.inpaint,
    nsfw: model.nsfw,
    description: model.description,
    thumbnail: model.thumbnail,
    prompt_required: model.prompt_required,
    tiers: model.tiers,
    batch_size: model.batch_size,
    parameters: presentParameters(model.parameters),
    ...(model.base_models !== undefined && {
      base_models: Object.fromEntries(
        Object.entries(model.base_models).map(([name, base]) => [
          name,
          { options: base.options, default: base.default },
        ]),
      ),
    }),
    ...(model.element !== undefined && { element: model.element }),
  };
}

function presentParameters(parameters: StudioModel['parameters']): Model['parameters'] {
  const { frames, audio, source_video: video } = parameters;
  return {
    aspect_ratios: parameters.aspect_ratios.map(({ ratio, width, height }) => ({ ratio, width, height })),
    same_ratio_supported: parameters.same_ratio_supported,
    video_aspect_ratios: parameters.video_aspect_ratios,
    durations: parameters.durations.map(({ value, label }) => ({ value, label })),
    ...eachSetting((name) => presentRange(parameters[name])),
    // The studio lists all samplers; only the first one, the default, is shown.
    sampler: parameters.sampler?.split(',')[0]?.trim() ?? null,
    max_reference_images: parameters.max_reference_images,
    frames: {
      start: frames.start,
      start_required: frames.start_required,
      end: frames.end,
      end_required: frames.end_required,
    },
    audio: audio && { max_quantity: audio.max_quantity, max_duration: audio.max_duration },
    source_video: video && {
      max_duration: video.max_duration,
      min_width: video.min_width,
      min_height: video.min_height,
      max_filesize_mb: video.max_filesize_mb,
    },
    options: parameters.options.map(presentOption),
  };
}

function presentRange(range: StudioModel['parameters']['cfg']): Model['parameters']['cfg'] {
  return range && { min: range.min, max: range.max, step: range.step, default: range.default };
}

function presentOption(
  option: StudioModel['parameters']['options'][number],
): Model['parameters']['options'][number] {
  const { key, name, type, values, min, max, step, max_length: maxLength } = option;
  return {
    key,
    name,
    type,
    ...(values !== undefined && { values: values.map(({ value, label }) => ({ value, label })) }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && { step }),
    ...(maxLength !== undefined && { max_length: maxLength }),
    default: option.default,
  };
}

export function presentStyle({ id, name, type, custom }: StudioStyle): Style {
  return { id, object: 'style', name, type, custom };
}

export function presentSuggestion(suggestion: StudioSuggestion): Suggestion {
  return {
    id: suggestion.id,
    object: 'suggestion',
    name: suggestion.name,
    category: suggestion.category,
    category_id: suggestion.category_id,
    suites: suggestion.suites,
    media_seconds: suggestion.media_seconds,
  };
}
