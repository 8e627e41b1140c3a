import { type Issue, listed } from '@renderkit/contract/studio/issues.ts';
import { type Kind, kindFacts, type Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel, StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type Candidate, nearestNames, shownName } from '@renderkit/server-kit/nearest-names.ts';
import { type CatalogIndex, isIncluded } from './catalog-index.ts';

/** Where so few are on offer they are all named. */
const maxListed = 8;

/** What is said of a name that the catalog or the model does not have; undefined of any other issue. */
export function describeUnknownName(
  issue: Issue,
  index: CatalogIndex,
  kind: Kind,
  model: StudioModel | undefined,
): string | undefined {
  const { suite, styleType } = kindFacts[kind];
  switch (issue.code) {
    case 'unknown_model':
      return describeUnknownModel(issue.asked, index, suite);
    case 'unknown_style':
      return describeUnknownStyle(issue.asked, styleType, index);
    case 'unknown_suggestion':
      return describeUnknownSuggestion(issue.asked, suite, index);
    case 'unknown_option':
      return describeUnknownOption(issue.asked, issue.allowed, model?.id ?? '');
    default:
      return undefined;
  }
}

/**
 * What is said of a model that there is not: which ones it may have meant, of those that the plan includes and that serve
 * the suite. Of others nothing is said.
 */
export function describeUnknownModel(id: string, index: CatalogIndex, suite?: Suite): string {
  const list = `GET /v1/models${suite === undefined ? '' : `?suite=${suite}`}`;
  return describe('model', id, offeredModels(index, suite), list);
}

/** Models that the plan includes and that serve the suite, in the order of the catalog. */
export function offeredModels(index: CatalogIndex, suite?: Suite): Candidate[] {
  const offered: Candidate[] = [];
  for (const model of index.models.values())
    if (isIncluded(model, index.plan) && (suite === undefined || model.suites.includes(suite)))
      offered.push({ label: model.id, texts: [model.id, model.name] });
  return offered;
}

/** What is said of a style that there is not: people also send its name in place of its id. */
function describeUnknownStyle(id: string, type: StudioStyle['type'], index: CatalogIndex): string {
  const offered: Candidate[] = [];
  for (const style of index.styles.values())
    if (style.type === type)
      offered.push({ label: `${style.id} (${style.name})`, texts: [style.id, style.name] });
  return describe('style', id, offered, 'GET /v1/styles');
}

function describeUnknownSuggestion(id: string, suite: Suite, index: CatalogIndex): string {
  const offered: Candidate[] = [];
  for (const one of index.suggestions.values())
    if (one.suites.includes(suite))
      offered.push({ label: `${one.id} (${one.name})`, texts: [one.id, one.name] });
  return describe('suggestion', id, offered, 'GET /v1/suggestions');
}

/** What is said of an option that the model does not have. */
function describeUnknownOption(key: string, keys: readonly string[], model: string): string {
  const start = `there is no option ${shownName(key)}`;
  const near = nearestNames(
    key,
    keys.map((one) => ({ label: one, texts: [one] })),
  );
  if (near.length > 0) return `${start}; did you mean ${near.join(' or ')}?`;
  return `${start}; the model ${model} has ${keys.length === 0 ? 'none' : listed(keys)}`;
}

function describe(what: string, id: string, offered: readonly Candidate[], list: string): string {
  const start = `there is no ${what} ${shownName(id)}`;
  const near = nearestNames(id, offered);
  if (near.length > 0) return `${start}; the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(', ')}`;
  return offered.length > 0 && offered.length <= maxListed
    ? `${start}; those that there are: ${offered.map(({ label }) => label).join(', ')}`
    : `${start}; ${list} lists those that there are`;
}
