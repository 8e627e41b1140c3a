import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { listed } from '../validation/nearest-names.ts';
import type { CatalogIndex, IndexedModel } from './catalog-index.ts';
import {
  type Faults,
  invalid,
  judgeOptions,
  judgeRange,
  judgeReferences,
  judgeStyles,
  judgeSuggestions,
  type OptionValue,
} from './judge-fields.ts';
import { describeUnknownModel } from './nearest-in-catalog.ts';

/** A request that its model has nothing against, as the studio will understand it: every default filled in. */
export type Fitted = { model: StudioModel; renderRequest: RenderRequest };

/** Fields that every request has. */
type Words = { project_id?: string; prompt?: string; styles?: string[]; suggestions?: string[] };
/** Fields that a request has whose model the client chooses. */
type Settings = {
  prompt?: string;
  base_model?: string;
  options?: Record<string, OptionValue>;
  cfg?: number;
  reference_images?: string[];
};
type Brush = { weight?: number; clip_skip?: number; sampler?: string };

/** The model that is named, or the default of the suite; undefined, and a fault, where it cannot serve. */
export function judgeModel(
  faults: Faults,
  id: string | undefined,
  suite: Suite,
  index: CatalogIndex,
): IndexedModel | undefined {
  const indexed = id === undefined ? index.defaults.get(suite) : index.models.get(id);
  if (indexed === undefined)
    faults.add(
      'model',
      id === undefined ? 'must be named: there is no default' : describeUnknownModel(id, index, suite),
    );
  else if (!indexed.model.suites.includes(suite)) {
    faults.add('model', `is not for this: its suites are ${indexed.model.suites.join(', ') || 'none'}`);
    return undefined;
  }
  return indexed;
}

/** What is judged by the catalog alone, whatever the model. */
export function judgeWords(
  faults: Faults,
  body: Words,
  suite: Suite,
  index: CatalogIndex,
): Pick<RenderRequest, 'project_id' | 'prompt' | 'styles' | 'suggestions'> {
  const { styles = [], suggestions = [] } = body;
  judgeStyles(faults, styles, suite === 'video' || suite === 'extend' ? 'video' : 'image', index);
  judgeSuggestions(faults, suggestions, suite, index);
  if (body.project_id === '') faults.add('project_id', 'there is no such project');
  return {
    project_id: body.project_id ?? null,
    prompt: body.prompt ?? '',
    styles: [...styles],
    suggestions: [...suggestions],
  };
}

export function judgePrompt(faults: Faults, prompt: string | undefined, { model }: IndexedModel): void {
  if (model.prompt_required && (prompt ?? '').trim() === '')
    faults.add('prompt', 'is required by this model');
}

/** What images, edits and videos have in common, against the model. */
export function judgeSettings(
  faults: Faults,
  body: Settings,
  indexed: IndexedModel,
): Pick<RenderRequest, 'base_model' | 'options' | 'cfg' | 'reference_images'> {
  const { parameters } = indexed.model;
  const references = body.reference_images ?? [];
  judgePrompt(faults, body.prompt, indexed);
  const baseModel = judgeBaseModel(faults, body.base_model, indexed);
  const options = judgeOptions(faults, body.options, indexed);
  const cfg = judgeRange(faults, 'cfg', body.cfg, parameters.cfg);
  judgeReferences(faults, 'reference_images', references, parameters.max_reference_images);
  return {
    ...(baseModel !== undefined && { base_model: baseModel }),
    options,
    ...(cfg !== undefined && { cfg }),
    reference_images: [...references],
  };
}

/** What images and edits have in common beyond that. */
export function judgeBrush(
  faults: Faults,
  body: Brush,
  indexed: IndexedModel,
): Pick<RenderRequest, 'weight' | 'clip_skip' | 'sampler'> {
  const { parameters } = indexed.model;
  const weight = judgeRange(faults, 'weight', body.weight, parameters.weight);
  const clipSkip = judgeRange(faults, 'clip_skip', body.clip_skip, parameters.clip_skip);
  const sampler = judgeSampler(faults, body.sampler, indexed);
  return {
    ...(weight !== undefined && { weight }),
    ...(clipSkip !== undefined && { clip_skip: clipSkip }),
    ...(sampler !== undefined && { sampler }),
  };
}

/** One of the ratios on offer; the first where none is asked for, or none at all where the source's is kept. */
export function judgeAspectRatio(
  faults: Faults,
  ratio: string | undefined,
  ratios: ReadonlySet<string>,
  { keepsSource }: { keepsSource: boolean },
): Pick<RenderRequest, 'aspect_ratio'> {
  const [first] = ratios;
  if (ratio === undefined) return keepsSource || first === undefined ? {} : { aspect_ratio: first };
  if (ratios.size === 0) faults.add('aspect_ratio', 'is not a setting of this model');
  else if (!ratios.has(ratio)) faults.add('aspect_ratio', `must be one of ${listed([...ratios], 30)}`);
  return { aspect_ratio: ratio };
}

/** One of the model's lengths in seconds, the first where none is asked for: 5 and "5" are the same. */
export function judgeDuration(
  faults: Faults,
  duration: string | number | undefined,
  { durations }: IndexedModel,
): Pick<RenderRequest, 'duration_seconds'> {
  const [first] = durations.values();
  if (duration === undefined) return first === undefined ? {} : { duration_seconds: first };
  const seconds =
    durations.get(String(duration)) ?? [...durations.values()].find((value) => value === duration);
  if (seconds !== undefined) return { duration_seconds: seconds };
  if (durations.size === 0) faults.add('duration', 'is not a setting of this model');
  else faults.add('duration', `must be one of ${listed([...durations.keys()], 30)}`);
  return {};
}

/** Ends the judgement: all faults at once, then whether the plan includes the model. @throws ApiProblem */
export function settleFaults(faults: Faults, { model, included }: IndexedModel): void {
  if (faults.list.length > 0) throw invalid(faults);
  if (!included)
    throw new ApiProblem('tier_required', {
      detail: `The plan does not include the model ${model.id}; these do: ${model.tiers.join(', ')}.`,
    });
}

function judgeBaseModel(
  faults: Faults,
  baseModel: string | undefined,
  indexed: IndexedModel,
): string | undefined {
  if (baseModel === undefined) return indexed.defaultBaseModel;
  if (indexed.baseModels.size === 0) faults.add('base_model', 'is not a setting of this model');
  else if (!indexed.baseModels.has(baseModel))
    faults.add('base_model', `must be one of ${listed([...indexed.baseModels], 30)}`);
  return baseModel;
}

function judgeSampler(
  faults: Faults,
  sampler: string | undefined,
  indexed: IndexedModel,
): string | undefined {
  if (sampler === undefined) return indexed.samplers[0];
  if (indexed.samplers.length === 0) faults.add('sampler', 'is not a setting of this model');
  else if (!indexed.samplers.includes(sampler))
    faults.add('sampler', `must be one of ${listed(indexed.samplers, 30)}`);
  return sampler;
}
