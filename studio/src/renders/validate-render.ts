import { isClosedByAge } from '@renderkit/contract/studio/age.ts';
import { type Issue, sentenceOf } from '@renderkit/contract/studio/issues.ts';
import { outputsOf } from '@renderkit/contract/studio/kinds.ts';
import { priceOf } from '@renderkit/contract/studio/price.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { validateRequest } from '@renderkit/contract/studio/validate.ts';
import type { AccountFacts } from '../authentication/queries.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import { makes } from '../catalog/snapshot.ts';
import { refusal } from './refusals.ts';

export type ValidatedRender = { costMillicredits: number; outputs: number; refusal: Refusal | undefined };

/**
 * Returns the cost and outputs of a request with a version of its model, and a refusal if the model or the plan does
 * not allow it. `validateReferences` checks the media that it names. The service has validated the request before, but
 * a client need not be the service.
 */
export function validateRender(
  request: RenderRequest,
  model: CatalogModel | undefined,
  account: AccountFacts,
): ValidatedRender {
  if (model === undefined || !makes(model, request))
    return {
      costMillicredits: 0,
      outputs: 0,
      refusal: refusal('unprocessable', { field: 'model', message: 'There is no such model for this.' }),
    };
  const { offered } = model;
  return {
    costMillicredits: priceOf(offered, request),
    outputs: outputsOf(offered, request.kind),
    refusal: planRefusal(offered, account) ?? fieldRefusal(request, model),
  };
}

function planRefusal(model: CatalogModel['offered'], account: AccountFacts): Refusal | undefined {
  if (model.tiers.length > 0 && !model.tiers.includes(account.tier)) return refusal('tier_required');
  if (isClosedByAge(model, account.age_verified))
    return refusal('forbidden', { message: 'The model is for accounts of confirmed age.' });
  return undefined;
}

/** Returns a refusal for the first field of a request that its model does not allow. */
function fieldRefusal(request: RenderRequest, model: CatalogModel): Refusal | undefined {
  const { offered, refusedStyles } = model;
  const duration = 'duration_seconds' in request ? request.duration_seconds : undefined;
  const [issue] = validateRequest(request.kind, offered, { ...request, duration }).issues;
  if (issue !== undefined) return issueRefusal(issue);
  const inpaint = inpaintRefusal(request, model);
  if (inpaint !== undefined) return inpaint;
  const refused = request.styles.findIndex((style) => refusedStyles.includes(style));
  return refused === -1
    ? undefined
    : refusal('unprocessable', {
        field: `styles[${refused}]`,
        message: `${offered.name} cannot be combined with this style.`,
      });
}

/** Refuses an inpaint type that the model does not take. A model may take only one of `refine` and `fill`. */
function inpaintRefusal(
  request: RenderRequest,
  { offered, inpaintTypes }: CatalogModel,
): Refusal | undefined {
  if (request.kind !== 'image_edit' || request.mode !== 'inpaint') return undefined;
  if (inpaintTypes.includes(request.inpaint_type ?? 'refine')) return undefined;
  const message = `${offered.name} takes inpaint_type ${inpaintTypes.join(' or ')} alone: send that.`;
  return refusal('unprocessable', { field: 'inpaint_type', message });
}

/** Turns an issue into a refusal. */
export function issueRefusal(issue: Issue): Refusal {
  return refusal('unprocessable', { field: issue.field, message: `${issue.field}: ${sentenceOf(issue)}.` });
}
