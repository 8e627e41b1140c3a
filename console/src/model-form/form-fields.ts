import {
  maxExtendPromptCharacters,
  maxPromptCharacters,
  maxReferenceAudios,
  maxReferenceImages,
} from '@renderkit/contract/v1/limits.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { kinds } from '../generations/kinds.ts';
import { ratioOf, type Ratio } from './ratio-shape.ts';

export type NumberRange = { min: number; max: number; step: number; default: number };
export type ModelOption = Model['parameters']['options'][number];
export type RangeField = 'cfg' | 'weight' | 'clip_skip' | 'mask_blur';
export type Need = 'none' | 'optional' | 'required';

/** Which fields a form has for one kind and model, and what each may hold. */
export type FormFields = {
  prompt: { required: boolean; maxCharacters: number };
  ratios: Ratio[];
  /** Without a chosen ratio the outputs have the ratio of the source. */
  keepsSource: boolean;
  durations: { value: string; label: string }[];
  ranges: Partial<Record<RangeField, NumberRange>>;
  /** The model's default; undefined where none can be chosen. The API does not list the others. */
  sampler: string | undefined;
  baseModels: { name: string; options: string[]; default: string }[];
  options: ModelOption[];
  /** An extension's one setting, which is a field of its own. */
  resolution: ModelOption | undefined;
  referenceImages: number;
  image: Need;
  inpaint: boolean;
  startImage: Need;
  endImage: Need;
  audios: { max: number; seconds: number } | undefined;
  sourceVideo: Model['parameters']['source_video'];
  video: Need;
  styleType: 'image' | 'video';
  /** Outputs of one run. */
  outputs: number;
};

/** The option of an extend model that the field `resolution` of a request sets. */
const resolutionKey = 'resolution';

/** The fields of the form for a kind and model. Extensions choose no model and have few fields. */
export function fieldsOf(kind: GenerationKind, model: Model): FormFields {
  const { parameters } = model;
  const extend = kind === 'video_extend';
  const video = kind === 'video';
  const brush = kind === 'image' || kind === 'image_edit';
  const { frames, audio } = parameters;
  return {
    prompt: {
      required: model.prompt_required,
      maxCharacters: extend ? maxExtendPromptCharacters : maxPromptCharacters,
    },
    ratios: extend ? [] : ratiosOf(video, model),
    keepsSource: !extend && kind !== 'image' && parameters.same_ratio_supported,
    durations: video || extend ? parameters.durations : [],
    ranges: {
      ...(!extend && parameters.cfg !== null && { cfg: parameters.cfg }),
      ...(brush && parameters.weight !== null && { weight: parameters.weight }),
      ...(brush && parameters.clip_skip !== null && { clip_skip: parameters.clip_skip }),
      ...(kind === 'image_edit' &&
        model.inpaint &&
        parameters.mask_blur !== null && { mask_blur: parameters.mask_blur }),
    },
    sampler: brush ? (parameters.sampler ?? undefined) : undefined,
    baseModels: extend
      ? []
      : Object.entries(model.base_models ?? {}).map(([name, base]) => ({ name, ...base })),
    options: extend ? [] : parameters.options,
    resolution: extend ? parameters.options.find(({ key }) => key === resolutionKey) : undefined,
    referenceImages: extend ? 0 : Math.min(parameters.max_reference_images, maxReferenceImages),
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
    outputs: model.batch_size[kinds[kind].batchKey] ?? 1,
  };
}

function ratiosOf(video: boolean, { parameters }: Model): Ratio[] {
  if (!video) return parameters.aspect_ratios;
  return parameters.video_aspect_ratios.map((ratio) => ({ ratio, ...ratioOf(ratio) }));
}

function needOf(taken: boolean, required: boolean): Need {
  if (!taken) return 'none';
  return required ? 'required' : 'optional';
}
