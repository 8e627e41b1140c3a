import type { Suite } from './kinds.ts';
import type { StudioModel } from './schemas/catalog.ts';
import type { RenderRequest } from './schemas/render.ts';

export type OptionValue = string | number | boolean;

/** An option as a catalog offers it: the studio's, or the public one, whose choices may be numbers. */
export type OfferedOption = Pick<
  StudioModel['parameters']['options'][number],
  'key' | 'type' | 'min' | 'max' | 'step' | 'max_length' | 'default'
> & { values?: readonly { value: string | number }[] | undefined };

/** As much of a model as validation reads. The public model of the API has it too. */
export type OfferedModel = Pick<StudioModel, 'id' | 'inpaint' | 'prompt_required' | 'base_models'> & {
  parameters: Omit<StudioModel['parameters'], 'options'> & { options: readonly OfferedOption[] };
};
type Parameters = Pick<OfferedModel, 'parameters'>['parameters'];

/** Longest video that the studio's contract can ask for; what is no number of seconds cannot be asked for either. */
const maxSeconds = 3_600;

/** The lengths that can be asked for, as listed and in seconds; the first is the default. */
export function durationsOf({
  durations,
}: Pick<Parameters, 'durations'>): { value: string; seconds: number }[] {
  return durations
    .map(({ value }) => ({ value, seconds: Number(value) }))
    .filter(({ seconds }) => seconds > 0 && seconds <= maxSeconds);
}

/** The samplers that can be chosen; the first is the default. None where there is no choice. */
export function samplersOf({ sampler }: Pick<Parameters, 'sampler'>): string[] {
  return (sampler ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The ratios of what a suite makes; the first is the default. An extension has the ratio of its video. */
export function ratiosOf(parameters: Parameters, suite: Suite): string[] {
  if (suite === 'extend') return [];
  return suite === 'video'
    ? parameters.video_aspect_ratios
    : parameters.aspect_ratios.map(({ ratio }) => ratio);
}

/** The option of an extend model that the field `resolution` of a request sets. */
export const resolutionKey = 'resolution';

/** All options of a request, the field `resolution` of an extension being one of them. */
export function optionsOf(request: RenderRequest): RenderRequest['options'] {
  return request.kind !== 'video_extend' || request.resolution === undefined
    ? request.options
    : { ...request.options, [resolutionKey]: request.resolution };
}
