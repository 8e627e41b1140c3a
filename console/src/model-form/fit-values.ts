import { eachSetting } from '@renderkit/contract/studio/kinds.ts';
import { categoryOf } from '@renderkit/contract/studio/validate-choices.ts';
import { readOption } from '@renderkit/contract/studio/validate.ts';
import { maxStyles, maxSuggestions } from '@renderkit/contract/v1/limits.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { Style } from '@renderkit/contract/v1/schemas/style.ts';
import type { Suggestion } from '@renderkit/contract/v1/schemas/suggestion.ts';
import { kinds } from '../generations/kinds.ts';
import { fieldsOf, type FormFields, type ModelOption, type NumberRange } from './form-fields.ts';
import type { FormValues, OptionValue } from './form-values.ts';

/** The styles and suggestions that a request can name. Undefined while they load: then all values are kept. */
export type Choices = {
  styles: readonly Style[] | undefined;
  suggestions: readonly Suggestion[] | undefined;
};

/** The values that this kind and model take. Other fields are cleared, and numbers are moved into their range. */
export function fitValues(
  kind: GenerationKind,
  model: Model,
  values: FormValues,
  choices: Choices,
): FormValues {
  const fields = fieldsOf(kind, model);
  const inpaint = fields.inpaint && values.mode === 'inpaint';
  return {
    ...values,
    base_model: fields.baseModels.some(({ options }) => options.includes(values.base_model ?? ''))
      ? values.base_model
      : undefined,
    styles: fittingStyles(fields, values.styles, choices.styles),
    suggestions: fittingSuggestions(kind, values.suggestions, choices.suggestions),
    options: fittingOptions(fields.options, values.options),
    aspect_ratio: fields.ratios.some(({ ratio }) => ratio === values.aspect_ratio)
      ? values.aspect_ratio
      : undefined,
    ...eachSetting((name) => fitNumber(values[name], fields.ranges[name])),
    sampler: fields.sampler === undefined ? undefined : values.sampler,
    reference_images: values.reference_images.slice(0, fields.referenceImages),
    image: fields.image === 'none' ? undefined : values.image,
    mode: inpaint ? 'inpaint' : 'transform',
    strength: kind === 'image_edit' ? values.strength : undefined,
    mask: inpaint ? values.mask : undefined,
    inpaint_type: inpaint ? values.inpaint_type : undefined,
    mask_blur: inpaint ? fitNumber(values.mask_blur, fields.ranges.mask_blur) : undefined,
    duration: fields.durations.some(({ value }) => value === values.duration) ? values.duration : undefined,
    start_image: fields.startImage === 'none' ? undefined : values.start_image,
    end_image: fields.endImage === 'none' ? undefined : values.end_image,
    reference_audios: values.reference_audios.slice(0, fields.audios?.max ?? 0),
    source_video: fields.sourceVideo === null ? undefined : values.source_video,
    video: fields.video === 'none' ? undefined : values.video,
    resolution: fields.resolution?.values?.some(({ value }) => String(value) === values.resolution)
      ? values.resolution
      : undefined,
  };
}

/** The nearest value of a range that its steps lead to; undefined stays so, and where there is no range it becomes so. */
export function fitNumber(value: number | undefined, range: NumberRange | undefined): number | undefined {
  if (value === undefined || range === undefined || !Number.isFinite(value)) return undefined;
  const { min, max, step } = range;
  const inside = Math.min(max, Math.max(min, value));
  if (!(step > 0)) return inside;
  const steps = Math.min(Math.round((inside - min) / step), Math.floor((max - min) / step + 1e-9));
  return withoutNoise(min + steps * step);
}

/** The default of an option as the form shows it. */
export function optionDefault(option: ModelOption): OptionValue {
  if (option.type === 'toggle') return String(option.default) === '1' || String(option.default) === 'true';
  if (option.type === 'slider') return Number(option.default);
  return String(option.default);
}

/** The range of a slider option, with defaults for what the catalog leaves out. */
export function sliderRange(option: ModelOption): NumberRange {
  const { min = 0, max = 100, step = 1 } = option;
  return { min, max, step, default: Number(option.default) };
}

function fittingOptions(
  options: readonly ModelOption[],
  values: Readonly<Record<string, OptionValue>>,
): Record<string, OptionValue> {
  const fitting: Record<string, OptionValue> = {};
  for (const option of options) {
    if (!Object.hasOwn(values, option.key)) continue;
    const value = fittingOption(option, values[option.key] as OptionValue);
    if (value !== undefined) fitting[option.key] = value;
  }
  return fitting;
}

function fittingOption(option: ModelOption, value: OptionValue): OptionValue | undefined {
  return option.type === 'slider' && typeof value === 'number'
    ? fitNumber(value, sliderRange(option))
    : readOption(option, value, option.key).value;
}

function fittingStyles(
  { styleType }: FormFields,
  ids: readonly string[],
  styles: Choices['styles'],
): string[] {
  const kept = ids.filter(
    (id) => styles?.some((style) => style.id === id && style.type === styleType) ?? true,
  );
  return kept.slice(0, maxStyles);
}

function fittingSuggestions(
  kind: GenerationKind,
  ids: readonly string[],
  suggestions: Choices['suggestions'],
): string[] {
  if (suggestions === undefined) return ids.slice(0, maxSuggestions);
  const taken = new Set<string>();
  const kept = ids.filter((id) => {
    const suggestion = suggestions.find((one) => one.id === id);
    if (suggestion === undefined || !suggestion.suites.includes(kinds[kind].suite)) return false;
    const category = categoryOf(suggestion);
    if (taken.has(category)) return false;
    taken.add(category);
    return true;
  });
  return kept.slice(0, maxSuggestions);
}

/** Removes the error of floats: 0.3 + 7 × 0.1 is 1, not 0.9999999999999999. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}
