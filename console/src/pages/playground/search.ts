import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { choice, text } from '../../format/search-params.ts';
import { kindNames } from '../../model-form/kinds.ts';

/** Fields into which a page may hand an item of the library. */
export const usableFields = ['image', 'reference_images', 'start_image', 'source_video', 'video'] as const;
export type UsableField = (typeof usableFields)[number];

export type PlaygroundSearch = {
  kind?: GenerationKind;
  model?: string;
  /** Id of a generation whose request fills the form. */
  from?: string;
  /** Id of a library item, and the field that it goes into. */
  use?: string;
  as?: UsableField;
  /** Id of the generation whose result is shown. */
  generation?: string;
};

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  return {
    kind: choice(search['kind'], kindNames),
    model: text(search['model']),
    from: text(search['from']),
    use: text(search['use'], 100),
    as: choice(search['as'], usableFields),
    generation: text(search['generation']),
  };
}

/** Whether a field takes pictures or videos. */
export function typeOfField(field: UsableField): 'image' | 'video' {
  return field === 'video' || field === 'source_video' ? 'video' : 'image';
}
