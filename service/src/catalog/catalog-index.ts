import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type {
  Catalog,
  StudioModel,
  StudioStyle,
  StudioSuggestion,
} from '@renderkit/contract/studio/schemas/catalog.ts';

export type CatalogIndex = {
  models: ReadonlyMap<string, StudioModel>;
  defaults: ReadonlyMap<Suite, StudioModel>;
  plan: string | null;
  styles: ReadonlyMap<string, StudioStyle>;
  suggestions: ReadonlyMap<string, StudioSuggestion>;
};

const indexes = new WeakMap<Catalog, CatalogIndex>();

/** Returns the look-ups over one catalog. They are built once for each catalog and live until it is collected. */
export function indexOf(catalog: Catalog): CatalogIndex {
  let index = indexes.get(catalog);
  if (index === undefined) {
    index = buildIndex(catalog);
    indexes.set(catalog, index);
  }
  return index;
}

/**
 * Returns whether a plan includes a model. An empty list of tiers means every plan. The studio checks the same in
 * `planRefusal` (`studio/src/renders/validate-render.ts`).
 */
export function isIncluded(model: Pick<StudioModel, 'tiers'>, plan: string | null): boolean {
  return model.tiers.length === 0 || (plan !== null && model.tiers.includes(plan));
}

function buildIndex(catalog: Catalog): CatalogIndex {
  const defaults = new Map<Suite, StudioModel>();
  for (const model of catalog.models)
    for (const suite of model.default_for) if (!defaults.has(suite)) defaults.set(suite, model);
  return {
    models: new Map(catalog.models.map((model) => [model.id, model])),
    defaults,
    plan: catalog.plan,
    styles: new Map(catalog.styles.map((style) => [style.id, style])),
    suggestions: new Map(catalog.suggestions.map((suggestion) => [suggestion.id, suggestion])),
  };
}
