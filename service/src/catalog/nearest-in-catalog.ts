import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type Candidate, listed, nearestNames, shownName } from '../validation/nearest-names.ts';
import type { CatalogIndex, IndexedModel } from './catalog-index.ts';

/** Where so few are on offer they are all named. */
const maxListed = 8;

/**
 * What is told of a model that there is not: which ones it may have meant, of those that the plan includes and that serve
 * the suite. Of others nothing is told.
 */
export function describeUnknownModel(id: string, index: CatalogIndex, suite?: Suite): string {
  const offered: Candidate[] = [];
  for (const { model, included } of index.models.values())
    if (included && (suite === undefined || model.suites.includes(suite)))
      offered.push({ label: model.id, texts: [model.id, model.name] });
  return describe('model', id, offered, `GET /v1/models${suite === undefined ? '' : `?suite=${suite}`}`);
}

/** What is told of a style that there is not: people also send its name in place of its id. */
export function describeUnknownStyle(id: string, type: StudioStyle['type'], index: CatalogIndex): string {
  const offered: Candidate[] = [];
  for (const style of index.styles.values())
    if (style.type === type)
      offered.push({ label: `${style.id} (${style.name})`, texts: [style.id, style.name] });
  return describe('style', id, offered, 'GET /v1/styles');
}

export function describeUnknownSuggestion(id: string, suite: Suite, index: CatalogIndex): string {
  const offered: Candidate[] = [];
  for (const one of index.suggestions.values())
    if (one.suites.includes(suite))
      offered.push({ label: `${one.id} (${one.name})`, texts: [one.id, one.name] });
  return describe('suggestion', id, offered, 'GET /v1/suggestions');
}

/** What is told of an option that the model does not have. */
export function describeUnknownOption(key: string, { model, options }: IndexedModel): string {
  const start = `there is no option ${shownName(key)}`;
  const keys = [...options.keys()];
  const near = nearestNames(
    key,
    keys.map((one) => ({ label: one, texts: [one] })),
  );
  if (near.length > 0) return `${start}; did you mean ${near.join(' or ')}?`;
  return `${start}; the model ${model.id} has ${keys.length === 0 ? 'none' : listed(keys)}`;
}

function describe(what: string, id: string, offered: readonly Candidate[], list: string): string {
  const start = `there is no ${what} ${shownName(id)}`;
  const near = nearestNames(id, offered);
  if (near.length > 0) return `${start}; the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(', ')}`;
  return offered.length > 0 && offered.length <= maxListed
    ? `${start}; those that there are: ${offered.map(({ label }) => label).join(', ')}`
    : `${start}; ${list} lists those that there are`;
}
