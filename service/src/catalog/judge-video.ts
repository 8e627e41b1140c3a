import type { CreateVideoRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import type { CatalogIndex, IndexedModel } from './catalog-index.ts';
import { createFaults, type Faults, invalid, judgeOneReference, judgeReferences } from './judge-fields.ts';
import {
  type Fitted,
  judgeAspectRatio,
  judgeDuration,
  judgeModel,
  judgeSettings,
  judgeWords,
  settleFaults,
} from './judge-model.ts';

/** The video request (docs/api.md §4). @throws ApiProblem invalid_request, tier_required */
export function judgeVideo(index: CatalogIndex, body: CreateVideoRequest): Fitted {
  const faults = createFaults();
  const indexed = judgeModel(faults, body.model, 'video', index);
  const words = judgeWords(faults, body, 'video', index);
  if (indexed === undefined) {
    judgeForm(faults, body);
    throw invalid(faults);
  }
  const { model } = indexed;
  const { start_image: start, end_image: end, source_video: source, reference_audios: audios = [] } = body;
  const settings = judgeSettings(faults, body, indexed);
  judgeMaterial(faults, body, indexed);
  const ratio = judgeAspectRatio(faults, body.aspect_ratio, indexed.videoRatios, {
    keepsSource: model.parameters.same_ratio_supported && (start !== undefined || source !== undefined),
  });
  const length = judgeDuration(faults, body.duration, indexed);
  settleFaults(faults, indexed);
  return {
    model,
    renderRequest: {
      kind: 'video',
      model: model.id,
      ...words,
      ...settings,
      ...ratio,
      ...length,
      ...(start !== undefined && { start_image: start }),
      ...(end !== undefined && { end_image: end }),
      ...(audios.length > 0 && { reference_audios: [...audios] }),
      ...(source !== undefined && { source_video: source }),
    },
  };
}

/** Frames, sounds and a source, as far as the model takes them. */
function judgeMaterial(faults: Faults, body: CreateVideoRequest, { model }: IndexedModel): void {
  const { frames, audio, source_video: source } = model.parameters;
  judgeOneReference(faults, 'start_image', body.start_image, {
    taken: frames.start,
    required: frames.start_required,
  });
  judgeOneReference(faults, 'end_image', body.end_image, {
    taken: frames.end,
    required: frames.end_required,
  });
  judgeReferences(faults, 'reference_audios', body.reference_audios, audio?.max_quantity ?? 0);
  judgeOneReference(faults, 'source_video', body.source_video, { taken: source !== null, required: false });
}

/** As much as can be said of the references without a model. */
function judgeForm(faults: Faults, body: CreateVideoRequest): void {
  const any = { taken: true, required: false };
  judgeReferences(faults, 'reference_images', body.reference_images);
  judgeReferences(faults, 'reference_audios', body.reference_audios);
  for (const field of ['start_image', 'end_image', 'source_video'] as const)
    judgeOneReference(faults, field, body[field], any);
}
