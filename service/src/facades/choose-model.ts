import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { CatalogIndex } from '../catalog/catalog-index.ts';
import { describeUnknownModel } from '../catalog/describe-unknown-name.ts';

/** Names that clients have written into their code: they mean whatever draws here. Names of text models are none of them. */
const imageAliases =
  /^(?:gpt-image-|dall-e-|chatgpt-image-latest$|openai\/gpt-.*image|google\/gemini-.*image|bytedance-seed\/seedream-)/;
const videoAliases = /^sora-/;

export type ChosenModel =
  /** `named` is left out of a create where the default of its suite is meant. */
  { model: StudioModel; named: boolean } | { unknown: string };

/** What lists of models show before our own, so that clients that look for these names find them. */
export const shownAliases = ['gpt-image-1', 'dall-e-3', 'sora-2'] as const;

/** The model that a foreign request means: none for the default, our id, the last part of one if there is one such, an alias. */
export function chooseModel(index: CatalogIndex, suite: Suite, name: unknown): ChosenModel {
  const fallback = index.defaults.get(suite);
  const isAlias =
    typeof name === 'string' &&
    (suite === 'image' || suite === 'edit' ? imageAliases : videoAliases).test(name);
  if (typeof name !== 'string' || name === '' || isAlias)
    return fallback === undefined
      ? { unknown: `no model is the default for this: name one` }
      : { model: fallback, named: false };
  const model = index.models.get(name) ?? byLastPart(index, name);
  return model === undefined ? { unknown: describeUnknownModel(name, index, suite) } : { model, named: true };
}

function byLastPart(index: CatalogIndex, name: string): StudioModel | undefined {
  const found = [...index.models.values()].filter(({ id }) => id.split('/').at(-1) === name);
  return found.length === 1 ? found[0] : undefined;
}
