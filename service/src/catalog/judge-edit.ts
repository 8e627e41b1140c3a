import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { defaultFillStrength, defaultStrength } from '@renderkit/contract/v1/limits.ts';
import type { CreateEditRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import type { CatalogIndex, IndexedModel } from './catalog-index.ts';
import {
  createFaults,
  type Faults,
  invalid,
  judgeRange,
  judgeReference,
  judgeReferences,
} from './judge-fields.ts';
import {
  type Fitted,
  judgeAspectRatio,
  judgeBrush,
  judgeModel,
  judgeSettings,
  judgeWords,
  settleFaults,
} from './judge-model.ts';

const maskShape = /^(?:upl_|[dD][aA][tT][aA]:image\/png;base64,)/;

/** The edit request (docs/api.md §4). @throws ApiProblem invalid_request, tier_required */
export function judgeEdit(index: CatalogIndex, body: CreateEditRequest): Fitted {
  const faults = createFaults();
  const indexed = judgeModel(faults, body.model, 'edit', index);
  const words = judgeWords(faults, body, 'edit', index);
  judgeReference(faults, 'image', body.image);
  judgeModeFields(faults, body);
  if (indexed === undefined) {
    judgeReferences(faults, 'reference_images', body.reference_images);
    throw invalid(faults);
  }
  const { model } = indexed;
  const settings = judgeSettings(faults, body, indexed);
  const ratio = judgeAspectRatio(faults, body.aspect_ratio, indexed.ratios, {
    keepsSource: model.parameters.same_ratio_supported,
  });
  const brush = judgeBrush(faults, body, indexed);
  const change = judgeChange(faults, body, indexed);
  settleFaults(faults, indexed);
  return {
    model,
    renderRequest: {
      kind: 'image_edit',
      model: model.id,
      ...words,
      ...settings,
      ...ratio,
      ...brush,
      image: body.image,
      ...change,
    },
  };
}

/** A mask and what goes with it belong to an inpaint, and an inpaint has a mask. */
function judgeModeFields(faults: Faults, body: CreateEditRequest): void {
  if (body.mode !== 'inpaint') {
    for (const field of ['mask', 'inpaint_type', 'mask_blur'] as const)
      if (body[field] !== undefined) faults.add(field, 'is for the mode inpaint alone');
  } else if (body.mask === undefined) faults.add('mask', 'is required by the mode inpaint');
  else if (!maskShape.test(body.mask))
    faults.add('mask', 'must be a PNG as a data URL (data:image/png;base64,…), or the id of an upload');
}

function judgeChange(
  faults: Faults,
  body: CreateEditRequest,
  { model }: IndexedModel,
): Pick<RenderRequest, 'mode' | 'strength' | 'mask' | 'inpaint_type' | 'mask_blur'> {
  if (body.mode !== 'inpaint') return { mode: 'transform', strength: body.strength ?? defaultStrength };
  if (!model.inpaint) faults.add('mode', 'this model cannot inpaint');
  const type = body.inpaint_type ?? 'refine';
  const blur = judgeRange(faults, 'mask_blur', body.mask_blur, model.parameters.mask_blur);
  return {
    mode: 'inpaint',
    strength: body.strength ?? (type === 'fill' ? defaultFillStrength : defaultStrength),
    ...(body.mask !== undefined && { mask: body.mask }),
    inpaint_type: type,
    ...(blur !== undefined && { mask_blur: blur }),
  };
}
