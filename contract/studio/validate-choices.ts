import type { Issue } from './issues.ts';
import { kindFacts, type Kind } from './kinds.ts';
import type { StudioStyle, StudioSuggestion } from './schemas/catalog.ts';

type Categorized = Pick<StudioSuggestion, 'id' | 'category_id' | 'category'>;

/**
 * The styles and suggestions of a catalog by their ids, with the properties that validation reads. Those of the API
 * have them too.
 */
export type ChoiceIndex = {
  styles: ReadonlyMap<string, Pick<StudioStyle, 'type'>>;
  suggestions: ReadonlyMap<string, Categorized & Pick<StudioSuggestion, 'suites'>>;
};

/**
 * Validates the choices of a request that do not depend on its model: styles, suggestions and the project, whose id
 * must not be empty. The studio checks that the account has them: `unknownChoices` in
 * `studio/src/renders/create-quotes.ts`.
 */
export function validateChoices(
  kind: Kind,
  index: ChoiceIndex,
  asked: {
    readonly styles?: readonly string[] | undefined;
    readonly suggestions?: readonly string[] | undefined;
    readonly project_id?: string | null | undefined;
  },
): Issue[] {
  return [
    ...(asked.styles ?? []).flatMap((id, i) => styleIssues(kind, index, id, `styles[${i}]`)),
    ...suggestionIssues(kind, index, asked.suggestions ?? []),
    ...(asked.project_id === ''
      ? [{ field: 'project_id', code: 'unknown_project', asked: '' } as const]
      : []),
  ];
}

function styleIssues(kind: Kind, { styles }: ChoiceIndex, id: string, field: string): Issue[] {
  const style = styles.get(id);
  if (style === undefined) return [{ field, code: 'unknown_style', asked: id }];
  return style.type === kindFacts[kind].styleType
    ? []
    : [{ field, code: 'style_of_other_type', asked: id, allowed: style.type }];
}

function suggestionIssues(kind: Kind, index: ChoiceIndex, ids: readonly string[]): Issue[] {
  const { suite } = kindFacts[kind];
  const taken = new Map<string, string>();
  return ids.flatMap((id, i): Issue[] => {
    const field = `suggestions[${i}]`;
    const suggestion = index.suggestions.get(id);
    if (suggestion === undefined) return [{ field, code: 'unknown_suggestion', asked: id }];
    // This suggestion cannot stay in the request, so it does not exclude another one of its category.
    if (!suggestion.suites.includes(suite))
      return [{ field, code: 'suggestion_of_other_suite', asked: id, allowed: suggestion.suites }];
    const category = categoryOf(suggestion);
    const other = taken.get(category);
    if (other !== undefined) return [{ field, code: 'suggestion_of_same_category', asked: id, other }];
    taken.set(category, field);
    return [];
  });
}

/** Returns the category of a suggestion. A request may have only one suggestion of each category. */
export function categoryOf(suggestion: Categorized): string {
  return suggestion.category_id ?? suggestion.category ?? `id ${suggestion.id}`;
}
