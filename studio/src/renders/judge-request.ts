import type { Lane, Refusal, RenderRequest } from '@renderkit/contract/studio/schemas.ts';
import type { Kind, Suite } from '@renderkit/contract/studio/schemas.ts';
import { price } from '@renderkit/contract/studio/price.ts';
import { findModel } from '../catalog/catalog.ts';
import type { AccountFacts } from '../sign-in/authenticate.ts';
import { refusal } from './refusals.ts';

export const laneOf: Record<Kind, Lane> = {
  image: 'image',
  image_edit: 'edit',
  video: 'video',
  video_extend: 'video',
};

const suiteOf: Record<Kind, { suite: Suite; batch: string }> = {
  image: { suite: 'image', batch: 'Conjure' },
  image_edit: { suite: 'edit', batch: 'Transform' },
  video: { suite: 'video', batch: 'Motion' },
  video_extend: { suite: 'extend', batch: 'ExtendVideo' },
};

export type Judged = { costMillicredits: number; outputs: number; refusal: Refusal | undefined };

/** What a request costs and makes, and whether the model and the plan allow it. The service has judged it before; a client need not be the service. */
export function judgeRequest(request: RenderRequest, account: AccountFacts): Judged {
  const model = findModel(request.model)?.offered;
  const { suite, batch } = suiteOf[request.kind];
  if (model === undefined || !model.suites.includes(suite))
    return {
      costMillicredits: 0,
      outputs: 0,
      refusal: unprocessable('model', 'There is no such model for this.'),
    };
  const costMillicredits = price(model.price, {
    options: request.options,
    referenceImages: request.reference_images.length,
    ...(request.duration_seconds !== undefined && { durationSeconds: request.duration_seconds }),
  });
  return { costMillicredits, outputs: model.batch_size[batch] ?? 1, refusal: judge(request, model, account) };
}

type Model = NonNullable<ReturnType<typeof findModel>>['offered'];

function judge(request: RenderRequest, model: Model, account: AccountFacts): Refusal | undefined {
  const { parameters } = model;
  if (model.tiers.length > 0 && !model.tiers.includes(account.tier)) return refusal('tier_required');
  if (model.nsfw && !account.age_verified)
    return refusal('forbidden', { message: 'The model is for accounts of confirmed age.' });
  if (model.prompt_required && request.prompt.trim() === '')
    return unprocessable('prompt', 'The model needs a prompt.');
  if (
    request.aspect_ratio !== undefined &&
    !parameters.aspect_ratios.some(({ ratio }) => ratio === request.aspect_ratio)
  )
    return unprocessable('aspect_ratio', 'The model does not offer this aspect ratio.');
  if (request.reference_images.length > parameters.max_reference_images)
    return unprocessable('reference_images', 'The model takes fewer reference images.');
  if (request.sampler !== undefined && !(parameters.sampler ?? '').split(',').includes(request.sampler))
    return unprocessable('sampler', 'The model does not know this sampler.');
  for (const name of ['cfg', 'weight', 'clip_skip'] as const) {
    const value = request[name];
    const range = parameters[name];
    if (value !== undefined && (range === null || value < range.min || value > range.max))
      return unprocessable(name, 'The model does not take this value.');
  }
  return judgeChoices(request, model);
}

function judgeChoices(request: RenderRequest, model: Model): Refusal | undefined {
  for (const [key, value] of Object.entries(request.options)) {
    const option = model.parameters.options.find((offered) => offered.key === key);
    const fits =
      option !== undefined &&
      (option.type !== 'select' ||
        option.values?.some((offered) => offered.value === String(value)) === true) &&
      (option.type !== 'slider' ||
        (typeof value === 'number' &&
          value >= (option.min ?? Number.NEGATIVE_INFINITY) &&
          value <= (option.max ?? Number.POSITIVE_INFINITY)));
    if (!fits) return unprocessable(`options.${key}`, 'The model does not take this option or value.');
  }
  const bases = Object.values(model.base_models ?? {});
  if (
    request.base_model !== undefined &&
    !bases.some(({ options }) => options.includes(request.base_model as string))
  )
    return unprocessable('base_model', 'The model does not list this base model.');
  return undefined;
}

function unprocessable(field: string, message: string): Refusal {
  return refusal('unprocessable', { field, message });
}
