import { Type, type Static } from 'typebox';
import { listOf, optionalPageQuery } from './list.ts';
import { suites } from './model.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, nullable, oneOf } from './schema-builders.ts';

export const Suggestion = closed(
  {
    id: Type.String({ description: 'Sent in `suggestions` of a request.' }),
    object: Type.Literal('suggestion'),
    name: Type.String({ description: 'What people call it.' }),
    category: nullable(Type.String(), { description: 'A request takes one suggestion of each category.' }),
    category_id: nullable(Type.String(), { description: 'Id of the category.' }),
    suites: Type.Array(oneOf(suites), { description: 'Where it can be used.' }),
    media_seconds: Type.Number({ description: 'Length of the media that shows it, in seconds.' }),
  },
  {
    title: 'Suggestion',
    description: 'A building block for prompts.',
    examples: [realAnswers.suggestion],
  },
);

export type Suggestion = Static<typeof Suggestion>;

export const SuggestionList = listOf('SuggestionList', Suggestion);

/** Suites for filtering suggestions. There are no suggestions for extending a video. */
export const suggestionSuites = ['image', 'edit', 'video'] as const;

export const ListSuggestionsQuery = closed({
  suite: Type.Optional(oneOf(suggestionSuites, { description: 'Only suggestions for this.' })),
  ...optionalPageQuery,
});
