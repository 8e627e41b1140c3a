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
 * What a request costs and makes by a version of its model, and whether that and the plan allow it; the media that it
 * names are for `validateReferences`. The service has validated it before; a client need not be the service.
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

/** The first thing about a request's fields that its model does not go with. */
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

/** Of `refine` and `fill` a model may take one alone. */
function inpaintRefusal(
  request: RenderRequest,
  { offered, inpaintTypes }: CatalogModel,
): Refusal | undefined {
  if (request.kind !== 'image_edit' || request.mode !== 'inpaint') return undefined;
  if (inpaintTypes.includes(request.inpaint_type ?? 'refine')) return undefined;
  const message = `${offered.name} takes inpaint_type ${inpaintTypes.join(' or ')} alone: send that.`;
  return refusal('unprocessable', { field: 'inpaint_type', message });
}

/** An issue as the studio refuses for it. */
export function issueRefusal(issue: Issue): Refusal {
  return refusal('unprocessable', { field: issue.field, message: `${issue.field}: ${sentenceOf(issue)}.` });
}
