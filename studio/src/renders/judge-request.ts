import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { Kind, Suite } from '@renderkit/contract/studio/kinds.ts';
import { price } from '@renderkit/contract/studio/price.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { findModel } from '../catalog/catalog.ts';
import type { CatalogModel } from '../catalog/models.ts';
import type { AccountFacts } from '../authentication/authenticate.ts';
import { judgeSettings, optionsOf, unprocessable } from './judge-settings.ts';
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

/**
 * What a request costs and makes, and whether the model and the plan allow it; the media that it names are for
 * `judgeReferences`. The service has judged it before; a client need not be the service.
 */
export function judgeRequest(request: RenderRequest, account: AccountFacts): Judged {
  const model = findModel(request.model);
  const { suite, batch } = suiteOf[request.kind];
  if (model === undefined || !model.offered.suites.includes(suite))
    return {
      costMillicredits: 0,
      outputs: 0,
      refusal: unprocessable('model', 'There is no such model for this.'),
    };
  const { offered } = model;
  const durationSeconds = request.duration_seconds ?? defaultDurationOf(offered);
  const costMillicredits = price(offered.price, {
    options: optionsOf(request),
    referenceImages: request.reference_images.length,
    ...(durationSeconds !== undefined && { durationSeconds }),
  });
  return {
    costMillicredits,
    outputs: offered.batch_size[batch] ?? 1,
    refusal: judgePlan(offered, account) ?? judgeSettings(request, model),
  };
}

function judgePlan(model: CatalogModel['offered'], account: AccountFacts): Refusal | undefined {
  if (model.tiers.length > 0 && !model.tiers.includes(account.tier)) return refusal('tier_required');
  if (model.nsfw && !account.age_verified)
    return refusal('forbidden', { message: 'The model is for accounts of confirmed age.' });
  return undefined;
}

function defaultDurationOf({ parameters: { durations } }: CatalogModel['offered']): number | undefined {
  const [first] = durations;
  return first && Number(first.value);
}
