import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type { Catalog, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { isIncluded } from './catalog-index.ts';

type ModelFilter = { suite?: Suite; kind?: StudioModel['kind']; search?: string };

/**
 * Returns the models that the catalog's plan includes and that pass the filter, in the catalog's order. The studio
 * decides which models a catalog has: `studio/src/catalog/publish.ts`.
 */
export function listModels(catalog: Catalog, { suite, kind, search = '' }: ModelFilter): StudioModel[] {
  const words = search.toLowerCase();
  return catalog.models.filter(
    (model) =>
      isIncluded(model, catalog.plan) &&
      (suite === undefined || model.suites.includes(suite)) &&
      (kind === undefined || model.kind === kind) &&
      (words === '' || `${model.name}\n${model.description ?? ''}`.toLowerCase().includes(words)),
  );
}
