import { price } from '@renderkit/contract/studio/price.ts';
import type {
  Catalog,
  Kind,
  Lane,
  RenderRequest,
  StudioModel,
  Suite,
} from '@renderkit/contract/studio/schemas.ts';
import type { CreateImageRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { batchSizeKeys } from '@renderkit/contract/v1/schemas/model.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { type CatalogIndex, type IndexedModel, indexOf } from './catalog-index.ts';
import {
  createFaults,
  type Faults,
  judgeOptions,
  judgeRange,
  judgeReference,
  judgeStyles,
  judgeSuggestions,
} from './judge-fields.ts';

/** A request that the catalog has nothing against, as the studio will understand it. */
export type Judged = {
  model: StudioModel;
  /** Every default filled in. */
  renderRequest: RenderRequest;
  lane: Lane;
  costMillicredits: number;
  outputs: number;
};

const suiteOfKind = {
  image: 'image',
  image_edit: 'edit',
  video: 'video',
  video_extend: 'extend',
} as const satisfies Record<Kind, Suite>;

const laneOfKind = {
  image: 'image',
  image_edit: 'edit',
  video: 'video',
  video_extend: 'video',
} as const satisfies Record<Kind, Lane>;

/** Who judges the body of a create, by its kind. A kind that is not here cannot be made yet. */
const requestJudges: { [K in Kind]?: (catalog: Catalog, body: never) => Judged } = {
  image: judgeImageRequest,
};

/** Judges the body of a create that the schema of its kind has let through. @throws ApiProblem */
export function judgeRequest(catalog: Catalog, kind: Kind, body: unknown): Judged {
  const judge = requestJudges[kind] as ((catalog: Catalog, body: unknown) => Judged) | undefined;
  if (judge === undefined)
    throw new ApiProblem('invalid_request', {
      errors: [{ field: 'kind', message: `must be one of ${Object.keys(requestJudges).join(', ')} for now` }],
    });
  return judge(catalog, body);
}

/**
 * The image request against the model that it names (specification §4): first whatever is wrong with its fields, all
 * at once, then whether the plan includes the model. @throws ApiProblem invalid_request, tier_required
 */
export function judgeImageRequest(catalog: Catalog, body: CreateImageRequest): Judged {
  const index = indexOf(catalog);
  const faults = createFaults();
  const indexed = judgeModel(faults, body.model, 'image', index);
  const styles = body.styles ?? [];
  const suggestions = body.suggestions ?? [];
  const references = body.reference_images ?? [];
  judgeStyles(faults, styles, 'image', index);
  judgeSuggestions(faults, suggestions, 'image', index);
  if (body.project_id === '') faults.add('project_id', 'there is no such project');
  references.forEach((reference, i) => judgeReference(faults, `reference_images[${i}]`, reference));
  if (indexed === undefined) throw invalid(faults);

  const { parameters } = indexed.model;
  judgePrompt(faults, body.prompt, indexed.model);
  const baseModel = judgeBaseModel(faults, body.base_model, indexed);
  const options = judgeOptions(faults, body.options, indexed);
  const aspectRatio = judgeAspectRatio(faults, body.aspect_ratio, indexed);
  const cfg = judgeRange(faults, 'cfg', body.cfg, parameters.cfg);
  const weight = judgeRange(faults, 'weight', body.weight, parameters.weight);
  const clipSkip = judgeRange(faults, 'clip_skip', body.clip_skip, parameters.clip_skip);
  const sampler = judgeSampler(faults, body.sampler, indexed);
  if (references.length > parameters.max_reference_images)
    faults.add('reference_images', tooManyReferences(parameters.max_reference_images));
  if (faults.list.length > 0) throw invalid(faults);
  requirePlan(indexed);

  return judged('image', indexed.model, {
    kind: 'image',
    model: indexed.model.id,
    ...(baseModel !== undefined && { base_model: baseModel }),
    project_id: body.project_id ?? null,
    prompt: body.prompt ?? '',
    styles: [...styles],
    suggestions: [...suggestions],
    options,
    ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    ...(cfg !== undefined && { cfg }),
    ...(weight !== undefined && { weight }),
    ...(clipSkip !== undefined && { clip_skip: clipSkip }),
    ...(sampler !== undefined && { sampler }),
    reference_images: [...references],
  });
}

/** The model for adults on an account whose age is not known: refused after all else that the catalog says. */
export function requireAge(model: StudioModel, ageVerified: boolean): void {
  if (model.nsfw && !ageVerified)
    throw new ApiProblem('forbidden', {
      detail: `The model ${model.id} is for accounts whose age has been verified.`,
    });
}

function judged(kind: Kind, model: StudioModel, renderRequest: RenderRequest): Judged {
  return {
    model,
    renderRequest,
    lane: laneOfKind[kind],
    costMillicredits: price(model.price, {
      options: renderRequest.options,
      referenceImages: renderRequest.reference_images.length,
      ...(renderRequest.duration_seconds !== undefined && {
        durationSeconds: renderRequest.duration_seconds,
      }),
    }),
    outputs: model.batch_size[batchSizeKeys[suiteOfKind[kind]]] ?? 1,
  };
}

function judgeModel(
  faults: Faults,
  id: string | undefined,
  suite: Suite,
  index: CatalogIndex,
): IndexedModel | undefined {
  const indexed = id === undefined ? index.defaults.get(suite) : index.models.get(id);
  if (indexed === undefined)
    faults.add('model', id === undefined ? 'must be named: there is no default' : 'there is no such model');
  else if (!indexed.model.suites.includes(suite)) {
    faults.add('model', `is not for this: its suites are ${indexed.model.suites.join(', ') || 'none'}`);
    return undefined;
  }
  return indexed;
}

function judgePrompt(faults: Faults, prompt: string | undefined, model: StudioModel): void {
  if (model.prompt_required && (prompt ?? '').trim() === '')
    faults.add('prompt', 'is required by this model');
}

function judgeBaseModel(
  faults: Faults,
  baseModel: string | undefined,
  indexed: IndexedModel,
): string | undefined {
  if (baseModel === undefined) return indexed.defaultBaseModel;
  if (indexed.baseModels.size === 0) faults.add('base_model', 'is not a setting of this model');
  else if (!indexed.baseModels.has(baseModel))
    faults.add('base_model', `must be one of ${[...indexed.baseModels].join(', ')}`);
  return baseModel;
}

function judgeAspectRatio(
  faults: Faults,
  ratio: string | undefined,
  indexed: IndexedModel,
): string | undefined {
  if (ratio === undefined) return indexed.model.parameters.aspect_ratios[0]?.ratio;
  if (indexed.ratios.size === 0) faults.add('aspect_ratio', 'is not a setting of this model');
  else if (!indexed.ratios.has(ratio))
    faults.add('aspect_ratio', `must be one of ${[...indexed.ratios].join(', ')}`);
  return ratio;
}

function judgeSampler(
  faults: Faults,
  sampler: string | undefined,
  indexed: IndexedModel,
): string | undefined {
  if (sampler === undefined) return indexed.samplers[0];
  if (indexed.samplers.length === 0) faults.add('sampler', 'is not a setting of this model');
  else if (!indexed.samplers.includes(sampler))
    faults.add('sampler', `must be one of ${indexed.samplers.join(', ')}`);
  return sampler;
}

function tooManyReferences(max: number): string {
  return max === 0 ? 'this model takes no reference images' : `this model takes ${max} at most`;
}

function requirePlan({ model, included }: IndexedModel): void {
  if (included) return;
  throw new ApiProblem('tier_required', {
    detail: `The plan does not include the model ${model.id}; these do: ${model.tiers.join(', ')}.`,
  });
}

function invalid(faults: Faults): ApiProblem {
  return new ApiProblem('invalid_request', { errors: faults.list });
}
