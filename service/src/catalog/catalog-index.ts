import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type {
  Catalog,
  ModelOption,
  StudioModel,
  StudioStyle,
  StudioSuggestion,
} from '@renderkit/contract/studio/schemas/catalog.ts';

/** Longest video that the studio's contract can ask for; what is no number of seconds cannot be asked for either. */
const longestSeconds = 3_600;

/** A model with what judging a request against it looks up. */
export type IndexedModel = {
  model: StudioModel;
  ratios: ReadonlySet<string>;
  videoRatios: ReadonlySet<string>;
  /** As listed, with the number of seconds. */
  durations: ReadonlyMap<string, number>;
  /** The first is the default; empty where there is no choice. */
  samplers: readonly string[];
  options: ReadonlyMap<string, ModelOption>;
  baseModels: ReadonlySet<string>;
  defaultBaseModel: string | undefined;
  /** The catalog's plan includes it. */
  included: boolean;
};

export type CatalogIndex = {
  models: ReadonlyMap<string, IndexedModel>;
  defaults: ReadonlyMap<Suite, IndexedModel>;
  styles: ReadonlyMap<string, StudioStyle>;
  suggestions: ReadonlyMap<string, StudioSuggestion>;
};

const indexes = new WeakMap<Catalog, CatalogIndex>();

/** Look-ups over one catalog, made once for as long as the catalog lives. */
export function indexOf(catalog: Catalog): CatalogIndex {
  let index = indexes.get(catalog);
  if (index === undefined) {
    index = buildIndex(catalog);
    indexes.set(catalog, index);
  }
  return index;
}

/** Whether a plan includes a model: an empty list of tiers means every plan. */
export function isIncluded(model: Pick<StudioModel, 'tiers'>, plan: string | null): boolean {
  return model.tiers.length === 0 || (plan !== null && model.tiers.includes(plan));
}

function buildIndex(catalog: Catalog): CatalogIndex {
  const models = new Map(catalog.models.map((model) => [model.id, indexModel(model, catalog.plan)]));
  const defaults = new Map<Suite, IndexedModel>();
  for (const indexed of models.values())
    for (const suite of indexed.model.default_for) if (!defaults.has(suite)) defaults.set(suite, indexed);
  return {
    models,
    defaults,
    styles: new Map(catalog.styles.map((style) => [style.id, style])),
    suggestions: new Map(catalog.suggestions.map((suggestion) => [suggestion.id, suggestion])),
  };
}

function indexModel(model: StudioModel, plan: string | null): IndexedModel {
  const groups = Object.values(model.base_models ?? {});
  return {
    model,
    ratios: new Set(model.parameters.aspect_ratios.map(({ ratio }) => ratio)),
    videoRatios: new Set(model.parameters.video_aspect_ratios),
    durations: new Map(
      model.parameters.durations
        .map(({ value }): [string, number] => [value, Number(value)])
        .filter(([, seconds]) => seconds > 0 && seconds <= longestSeconds),
    ),
    samplers: (model.parameters.sampler ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    options: new Map(model.parameters.options.map((option) => [option.key, option])),
    baseModels: new Set(groups.flatMap(({ options }) => options)),
    defaultBaseModel: groups[0]?.default,
    included: isIncluded(model, plan),
  };
}
