import { listed } from '@renderkit/contract/studio/issues.ts';
import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { nearestNames, shownName } from '@renderkit/server-kit/nearest-names.ts';
import type { CatalogIndex } from '../catalog/catalog-index.ts';
import { offeredModels } from '../catalog/describe-unknown-name.ts';

/**
 * Names that clients have in their code: they mean the default picture model. Names of text models are not among them.
 */
const imageAliases =
  /^(?:gpt-image-|dall-e-|chatgpt-image-latest$|openai\/gpt-.*image|google\/gemini-.*image|bytedance-seed\/seedream-)/;
const videoAliases = /^sora-/;

/** How many ids a sentence contains at most. */
const maxNamed = 5;

export type ChosenModel =
  /** `named` is false where the default of the suite is meant; then a create names no model. */
  { model: StudioModel; named: boolean } | { unknown: string };

/** Names that lists of models show before ours, so that clients that look for them find them. */
export const shownAliases = ['gpt-image-1', 'dall-e-3', 'sora-2'] as const;

/**
 * Returns the model that a foreign request means. No name or an alias: the default. Otherwise the model with this id,
 * or the only one whose id ends with this name.
 */
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
  return model === undefined ? { unknown: describeMissingModel(name, index, suite) } : { model, named: true };
}

/**
 * Returns a sentence about a missing model. Clients show it without a list, so it contains ids: the nearest ones, or
 * else the first of the suite.
 */
export function describeMissingModel(name: string, index: CatalogIndex, suite?: Suite): string {
  const offered = offeredModels(index, suite);
  const near = nearestNames(name, offered, maxNamed);
  const start = `there is no model ${shownName(name)}`;
  return near.length > 0
    ? `${start}; the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(', ')}`
    : `${start}; those that there are: ${namesOf(offered)}`;
}

/** Returns a sentence about a model that cannot do the task. It names the models that can. */
export function describeOtherSuite({ id }: StudioModel, index: CatalogIndex, suite: Suite): string {
  const fallback = index.defaults.get(suite);
  const start = `the model ${id} ${cannot[suite]}; these do: ${namesOf(offeredModels(index, suite))}`;
  return fallback === undefined ? start : `${start}; leave model out for ${fallback.id}`;
}

const cannot = {
  image: 'makes no pictures from words',
  edit: 'changes no pictures',
  video: 'makes no videos',
  extend: 'extends no videos',
} as const satisfies Record<Suite, string>;

function namesOf(offered: readonly { label: string }[]): string {
  return (
    listed(
      offered.map(({ label }) => label),
      maxNamed,
    ) || 'none'
  );
}

function byLastPart(index: CatalogIndex, name: string): StudioModel | undefined {
  const found = [...index.models.values()].filter(({ id }) => id.split('/').at(-1) === name);
  return found.length === 1 ? found[0] : undefined;
}
