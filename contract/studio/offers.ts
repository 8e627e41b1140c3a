import type { Suite } from './kinds.ts';
import type { StudioModel } from './schemas/catalog.ts';
import type { RenderRequest } from './schemas/render.ts';

export type OptionValue = string | number | boolean;

/** An option in a catalog: in the studio's catalog, or in the public one, whose choices may be numbers. */
export type OfferedOption = Pick<
  StudioModel['parameters']['options'][number],
  'key' | 'type' | 'min' | 'max' | 'step' | 'max_length' | 'default'
> & { values?: readonly { value: string | number }[] | undefined };

/** The properties of a model that validation reads. The public model of the API has them too. */
export type OfferedModel = Pick<StudioModel, 'id' | 'inpaint' | 'prompt_required' | 'base_models'> & {
  parameters: Omit<StudioModel['parameters'], 'options'> & { options: readonly OfferedOption[] };
};
type Parameters = Pick<OfferedModel, 'parameters'>['parameters'];

/** The longest video that a request to the studio may have. A duration that is no number is not available either. */
const maxSeconds = 3_600;

/** Returns the available lengths, as listed and in seconds; the first is the default. */
export function durationsOf({
  durations,
}: Pick<Parameters, 'durations'>): { value: string; seconds: number }[] {
  return durations
    .map(({ value }) => ({ value, seconds: Number(value) }))
    .filter(({ seconds }) => seconds > 0 && seconds <= maxSeconds);
}

/** Returns the available samplers; the first is the default. Empty when there is no choice. */
export function samplersOf({ sampler }: Pick<Parameters, 'sampler'>): string[] {
  return (sampler ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Returns the ratios of a suite; the first is the default. Empty for an extension, which keeps the ratio of its video.
 */
export function ratiosOf(parameters: Parameters, suite: Suite): string[] {
  if (suite === 'extend') return [];
  return suite === 'video'
    ? parameters.video_aspect_ratios
    : parameters.aspect_ratios.map(({ ratio }) => ratio);
}

/** The option of an extend model that the field `resolution` of a request sets. */
export const resolutionKey = 'resolution';

/** Returns all options of a request, including the field `resolution` of an extension. */
export function optionsOf(request: RenderRequest): RenderRequest['options'] {
  return request.kind !== 'video_extend' || request.resolution === undefined
    ? request.options
    : { ...request.options, [resolutionKey]: request.resolution };
}
