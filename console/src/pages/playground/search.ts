import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { choice, text } from '../../format/search-params.ts';
import { kindNames } from '../../generations/kind-labels.ts';
import { type ItemUse, itemUses } from '../../media/item-use.ts';

export type PlaygroundSearch = {
  kind?: GenerationKind;
  model?: string;
  /** Id of a generation whose request fills the form. */
  from?: string;
  /** Id of a library item, and the field that it goes into. */
  use?: string;
  as?: ItemUse;
  /** Id of the generation whose result is shown. */
  generation?: string;
};

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  return {
    kind: choice(search['kind'], kindNames),
    model: text(search['model']),
    from: text(search['from']),
    use: text(search['use'], 100),
    as: choice(search['as'], itemUses),
    generation: text(search['generation']),
  };
}
