import { type Issue, listed } from '@renderkit/contract/studio/issues.ts';
import { type Kind, kindFacts, type Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel, StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type Candidate, nearestNames, shownName } from '@renderkit/server-kit/nearest-names.ts';
import { type CatalogIndex, isIncluded } from './catalog-index.ts';

/** The message names all available names when there are at most this many. */
const maxListed = 8;

/**
 * Returns the message about a name that the catalog or the model does not have; `undefined` for any other issue.
 * `service/src/validation/describe-unknown-field.ts` has the messages about unknown fields.
 */
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
 * Returns the message about an unknown model. The message suggests similar models, but only those that the plan
 * includes and that serve the suite.
 */
export function describeUnknownModel(id: string, index: CatalogIndex, suite?: Suite): string {
  const list = `GET /v1/models${suite === undefined ? '' : `?suite=${suite}`}`;
  return describe('model', id, offeredModels(index, suite), list);
}

/** Returns the models that the plan includes and that serve the suite, in the order of the catalog. */
export function offeredModels(index: CatalogIndex, suite?: Suite): Candidate[] {
  const offered: Candidate[] = [];
  for (const model of index.models.values())
    if (isIncluded(model, index.plan) && (suite === undefined || model.suites.includes(suite)))
      offered.push({ label: model.id, texts: [model.id, model.name] });
  return offered;
}

/**
 * Returns the message about an unknown style. People also send a style's name instead of its id, so both are compared.
 */
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

/** Returns the message about an option that the model does not have. */
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
