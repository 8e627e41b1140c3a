import type { CreateImageRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import type { CatalogIndex } from './catalog-index.ts';
import { createFaults, invalid, judgeReferences } from './judge-fields.ts';
import {
  type Fitted,
  judgeAspectRatio,
  judgeBrush,
  judgeModel,
  judgeSettings,
  judgeWords,
  settleFaults,
} from './judge-model.ts';

/** The image request (docs/api.md §4). @throws ApiProblem invalid_request, tier_required */
export function judgeImage(index: CatalogIndex, body: CreateImageRequest): Fitted {
  const faults = createFaults();
  const indexed = judgeModel(faults, body.model, 'image', index);
  const words = judgeWords(faults, body, 'image', index);
  if (indexed === undefined) {
    judgeReferences(faults, 'reference_images', body.reference_images);
    throw invalid(faults);
  }
  const { model } = indexed;
  const settings = judgeSettings(faults, body, indexed);
  const ratio = judgeAspectRatio(faults, body.aspect_ratio, indexed.ratios, { keepsSource: false });
  const brush = judgeBrush(faults, body, indexed);
  settleFaults(faults, indexed);
  return {
    model,
    renderRequest: { kind: 'image', model: model.id, ...words, ...settings, ...ratio, ...brush },
  };
}
