import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { CatalogModel } from '../catalog/models.ts';
import { refusal } from './refusals.ts';

type Model = CatalogModel['offered'];

/** The first thing about a request's fields that its model does not go with. */
export function judgeSettings(
  request: RenderRequest,
  { offered: model, refusedStyles }: CatalogModel,
): Refusal | undefined {
  const { parameters } = model;
  if (model.prompt_required && request.prompt.trim() === '')
    return unprocessable('prompt', 'The model needs a prompt.');
  if (!offersRatio(request, model))
    return unprocessable('aspect_ratio', 'The model does not offer this aspect ratio.');
  if (request.reference_images.length > parameters.max_reference_images)
    return unprocessable('reference_images', 'The model takes fewer reference images.');
  if (request.sampler !== undefined && !(parameters.sampler ?? '').split(',').includes(request.sampler))
    return unprocessable('sampler', 'The model does not know this sampler.');
  for (const name of ['cfg', 'weight', 'clip_skip', 'mask_blur'] as const) {
    const value = request[name];
    const range = parameters[name];
    if (value !== undefined && (range === null || value < range.min || value > range.max))
      return unprocessable(name, 'The model does not take this value.');
  }
  const refused = request.styles.findIndex((style) => refusedStyles.includes(style));
  if (refused !== -1)
    return unprocessable(`styles[${refused}]`, `${model.name} cannot be combined with this style.`);
  return judgeKind(request, model) ?? judgeChoices(request, model);
}

function offersRatio({ kind, aspect_ratio }: RenderRequest, { parameters }: Model): boolean {
  if (aspect_ratio === undefined) return true;
  return kind === 'video' || kind === 'video_extend'
    ? parameters.video_aspect_ratios.includes(aspect_ratio)
    : parameters.aspect_ratios.some(({ ratio }) => ratio === aspect_ratio);
}

function judgeKind(request: RenderRequest, model: Model): Refusal | undefined {
  switch (request.kind) {
    case 'image':
      return undefined;
    case 'image_edit':
      return judgeEdit(request, model);
    case 'video':
      return judgeVideo(request, model) ?? judgeDuration(request, model);
    case 'video_extend':
      if (request.video_id === undefined)
        return unprocessable('video_id', 'There is no video to go on with.');
      return judgeDuration(request, model);
  }
}

function judgeEdit(request: RenderRequest, model: Model): Refusal | undefined {
  if (request.image === undefined) return unprocessable('image', 'There is no picture to work on.');
  if (request.mode === 'inpaint') {
    if (!model.inpaint) return unprocessable('mode', 'The model does not inpaint.');
    if (request.mask === undefined) return unprocessable('mask', 'There is no mask.');
  } else
    for (const name of ['mask', 'inpaint_type', 'mask_blur'] as const)
      if (request[name] !== undefined) return unprocessable(name, 'This is for an inpaint alone.');
  return undefined;
}

function judgeVideo(request: RenderRequest, { parameters }: Model): Refusal | undefined {
  const { frames, audio, source_video } = parameters;
  for (const end of ['start', 'end'] as const) {
    const named = request[`${end}_image`] !== undefined;
    if (named && !frames[end]) return unprocessable(`${end}_image`, 'The model does not take this frame.');
    if (!named && frames[`${end}_required`])
      return unprocessable(`${end}_image`, 'The model needs this frame.');
  }
  if ((request.reference_audios?.length ?? 0) > (audio?.max_quantity ?? 0))
    return unprocessable('reference_audios', 'The model takes fewer audio files.');
  return request.source_video !== undefined && source_video === null
    ? unprocessable('source_video', 'The model does not redraw videos.')
    : undefined;
}

function judgeDuration(
  { duration_seconds: seconds }: RenderRequest,
  { parameters: { durations } }: Model,
): Refusal | undefined {
  return seconds === undefined || durations.some(({ value }) => Number(value) === seconds)
    ? undefined
    : unprocessable('duration', 'The model does not offer this duration.');
}

function judgeChoices(request: RenderRequest, model: Model): Refusal | undefined {
  for (const [key, value] of Object.entries(optionsOf(request))) {
    const option = model.parameters.options.find((offered) => offered.key === key);
    const fits =
      option !== undefined &&
      (option.type !== 'select' ||
        option.values?.some((offered) => offered.value === String(value)) === true) &&
      (option.type !== 'slider' ||
        (typeof value === 'number' &&
          value >= (option.min ?? Number.NEGATIVE_INFINITY) &&
          value <= (option.max ?? Number.POSITIVE_INFINITY)));
    const field = key === 'resolution' && request.resolution !== undefined ? key : `options.${key}`;
    if (!fits) return unprocessable(field, 'The model does not take this option or value.');
  }
  const bases = Object.values(model.base_models ?? {});
  if (
    request.base_model !== undefined &&
    !bases.some(({ options }) => options.includes(request.base_model as string))
  )
    return unprocessable('base_model', 'The model does not list this base model.');
  return undefined;
}

/** The options, the field `resolution` of an extension being one of them. */
export function optionsOf({ options, resolution }: RenderRequest): RenderRequest['options'] {
  return resolution === undefined ? options : { ...options, resolution };
}

export function unprocessable(field: string, message: string): Refusal {
  return refusal('unprocessable', { field, message });
}
