import { kindFacts, outputsOf, type SettingName } from '@renderkit/contract/studio/kinds.ts';
import { durationsOf, resolutionKey } from '@renderkit/contract/studio/offers.ts';
import {
  maxExtendPromptCharacters,
  maxPromptCharacters,
  maxReferenceAudios,
  maxReferenceImages,
} from '@renderkit/contract/v1/limits.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { ratioOf, type Ratio } from './ratio-shape.ts';

export type NumberRange = { min: number; max: number; step: number; default: number };
export type ModelOption = Model['parameters']['options'][number];
export type Need = 'none' | 'optional' | 'required';

/** The fields of the form for one kind and model, and the values that each accepts. */
export type FormFields = {
  prompt: { required: boolean; maxCharacters: number };
  ratios: Ratio[];
  /** Without a chosen ratio, the outputs keep the ratio of the source. */
  keepsSource: boolean;
  durations: { value: string; label: string }[];
  ranges: { [S in SettingName]?: NumberRange };
  /** The model's default sampler. `undefined` when no sampler can be chosen. The API does not list the others. */
  sampler: string | undefined;
  baseModels: { name: string; options: string[]; default: string }[];
  options: ModelOption[];
  /** The only setting of an extension, which is a separate field. */
  resolution: ModelOption | undefined;
  referenceImages: number;
  image: Need;
  inpaint: boolean;
  startImage: Need;
  endImage: Need;
  audios: { max: number; seconds: number } | undefined;
  sourceVideo: Model['parameters']['source_video'];
  video: Need;
  /** Whether a field accepts a file that is dropped anywhere on the page. */
  takesDrops: boolean;
  styleType: 'image' | 'video';
  /** Number of outputs of one run. */
  outputs: number;
};

/** Returns the fields of the form for a kind and model. Extensions choose no model and have few fields. */
export function fieldsOf(kind: GenerationKind, model: Model): FormFields {
  const { parameters } = model;
  const extend = kind === 'video_extend';
  const video = kind === 'video';
  const brush = kind === 'image' || kind === 'image_edit';
  const { frames, audio } = parameters;
  const referenceImages = extend ? 0 : Math.min(parameters.max_reference_images, maxReferenceImages);
  return {
    prompt: {
      required: model.prompt_required,
      maxCharacters: extend ? maxExtendPromptCharacters : maxPromptCharacters,
    },
    ratios: extend ? [] : ratiosOf(video, model),
    keepsSource: !extend && kind !== 'image' && parameters.same_ratio_supported,
    durations: video || extend ? offeredDurations(parameters) : [],
    ranges: rangesOf(kind, model),
    sampler: brush ? (parameters.sampler ?? undefined) : undefined,
    baseModels: extend
      ? []
      : Object.entries(model.base_models ?? {}).map(([name, base]) => ({ name, ...base })),
    options: extend ? [] : parameters.options,
    resolution: extend ? parameters.options.find(({ key }) => key === resolutionKey) : undefined,
    referenceImages,
    takesDrops:
      kind === 'image_edit' ||
      referenceImages > 0 ||
      (video && (frames.start || parameters.source_video !== null)),
    image: kind === 'image_edit' ? 'required' : 'none',
    inpaint: kind === 'image_edit' && model.inpaint,
    startImage: video ? needOf(frames.start, frames.start_required) : 'none',
    endImage: video ? needOf(frames.end, frames.end_required) : 'none',
    audios:
      video && audio !== null
        ? { max: Math.min(audio.max_quantity, maxReferenceAudios), seconds: audio.max_duration }
        : undefined,
    sourceVideo: video ? parameters.source_video : null,
    video: extend ? 'required' : 'none',
    styleType: video || extend ? 'video' : 'image',
    outputs: outputsOf(model, kind),
  };
}

/** Returns the durations that a request may have, with labels for people. */
function offeredDurations({ durations }: Model['parameters']): FormFields['durations'] {
  const askable = new Set(durationsOf({ durations }).map(({ value }) => value));
  return durations.filter(({ value }) => askable.has(value));
}

function ratiosOf(video: boolean, { parameters }: Model): Ratio[] {
  if (!video) return parameters.aspect_ratios;
  return parameters.video_aspect_ratios.map((ratio) => ({ ratio, ...ratioOf(ratio) }));
}

/** Returns the range of each setting that the kind has and the model accepts. */
function rangesOf(kind: GenerationKind, { inpaint, parameters }: Model): FormFields['ranges'] {
  const names: SettingName[] = [...kindFacts[kind].settings];
  if (kind === 'image_edit' && inpaint) names.push('mask_blur');
  return Object.fromEntries(
    names.flatMap((name) => (parameters[name] === null ? [] : [[name, parameters[name]]])),
  );
}

function needOf(taken: boolean, required: boolean): Need {
  if (!taken) return 'none';
  return required ? 'required' : 'optional';
}
