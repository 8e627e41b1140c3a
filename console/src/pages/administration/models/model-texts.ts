import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { ManagedModel } from '@renderkit/contract/studio/administration/models.ts';
import { eachSetting, settingFacts } from '@renderkit/contract/studio/kinds.ts';
import { formatCredits } from '../../../format/numbers.ts';

type Price = ManagedModel['price'];

/** Returns a price as text: `1.5 credits, 0.2 a second`. `contract/studio/price.ts` computes the price of a request. */
export function priceText({ base_millicredits: base, ...more }: Price): string {
  const parts = [`${formatCredits(creditsOf(base))} ${base === 1_000 ? 'credit' : 'credits'}`];
  if (more.per_second_millicredits !== undefined)
    parts.push(`${formatCredits(creditsOf(more.per_second_millicredits))} a second`);
  if (more.per_reference_millicredits !== undefined)
    parts.push(`${formatCredits(creditsOf(more.per_reference_millicredits))} a reference`);
  if (Object.keys(more.options ?? {}).length > 0) parts.push('more by options');
  return parts.join(', ');
}

const suiteLabels = { image: 'Images', edit: 'Edits', video: 'Videos', extend: 'Longer videos' } as const;

export function suitesText(suites: ManagedModel['suites']): string {
  return suites.map((suite) => suiteLabels[suite]).join(', ');
}

/**
 * The values of a request that can set an input, and their labels in the table. `studio/src/renders/engine-values.ts`
 * computes the values.
 */
const sourceLabels: Readonly<Record<string, string>> = {
  prompt: 'Prompt',
  styles: 'Styles',
  suggestions: 'Suggestions',
  seed: 'Seed',
  width: 'Width',
  height: 'Height',
  aspect_ratio: 'Aspect ratio',
  outputs: 'Number of outputs',
  ...eachSetting((name) => settingFacts[name].label),
  sampler: 'Sampler',
  strength: 'Strength of an edit',
  mode: 'Mode of an edit',
  inpaint_type: 'Type of inpaint',
  duration_seconds: 'Duration',
  image: 'Image to edit',
  mask: 'Mask',
  references: 'Reference images',
  start_image: 'First frame',
  end_image: 'Last frame',
  audios: 'Audio',
  source_video: 'Video to follow',
  video: 'Video to extend',
};

export function sourceLabel(source: string): string {
  const option = /^options\.(.+)$/.exec(source)?.[1];
  return option === undefined ? (sourceLabels[source] ?? source) : `Option “${option}”`;
}

/** Returns all values that can set an input, including the model's own options. */
export function sourceChoices(used: readonly string[]): { value: string; label: string }[] {
  const sources = new Set([...Object.keys(sourceLabels), ...used]);
  return [...sources].map((source) => ({ value: source, label: sourceLabel(source) }));
}
