import type { Issue } from '@renderkit/contract/studio/issues.ts';
import { eachSetting } from '@renderkit/contract/studio/kinds.ts';
import { validateChoices } from '@renderkit/contract/studio/validate-choices.ts';
import { type AskedRequest, validateRequest } from '@renderkit/contract/studio/validate.ts';
import { maxStyles, maxSuggestions } from '@renderkit/contract/v1/limits.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { Style } from '@renderkit/contract/v1/schemas/style.ts';
import type { Suggestion } from '@renderkit/contract/v1/schemas/suggestion.ts';
import { fieldsOf, type ModelOption, type NumberRange } from './form-fields.ts';
import type { FormValues, OptionValue } from './form-values.ts';

/** The styles and suggestions that a request can use. `undefined` while they load; all values are then kept. */
export type Choices = {
  styles: readonly Style[] | undefined;
  suggestions: readonly Suggestion[] | undefined;
};

/**
 * Returns the values that this kind and model accept. It uses the same validation as the service and the studio:
 * invalid values are cleared or shortened, and numbers are moved into their range. Missing values stay missing. Fields
 * of other kinds are not checked, and `buildRequest` does not send them.
 */
export function fitValues(
  kind: GenerationKind,
  model: Model,
  values: FormValues,
  choices: Choices,
): FormValues {
  const fitted = mendValues(kind, model, values, choices);
  // When an edit is no longer an inpaint, its mask is invalid too.
  return fitted.mode === values.mode ? fitted : mendValues(kind, model, fitted, choices);
}

function mendValues(kind: GenerationKind, model: Model, values: FormValues, choices: Choices): FormValues {
  const { issues, request } = validateValues(kind, model, values, choices);
  const fields = fieldsOf(kind, model);
  /** Returns the value, or `undefined` when it is invalid. */
  const kept = <T>(field: string, value: T) => (issues.has(field) ? undefined : value);
  const each = <T>(field: string, list: readonly T[], max: number): T[] =>
    list.filter((_, i) => !issues.has(`${field}[${i}]`)).slice(0, max);
  return {
    ...values,
    base_model: kept('base_model', values.base_model),
    styles: each('styles', values.styles, maxStyles),
    suggestions: each('suggestions', values.suggestions, maxSuggestions),
    options: fittingOptions(fields.options, values.options, request.options, issues),
    aspect_ratio: kept('aspect_ratio', values.aspect_ratio),
    ...eachSetting((name) =>
      isOffRange(issues.get(name)) ? fitNumber(values[name], fields.ranges[name]) : kept(name, values[name]),
    ),
    // The API lists only the default sampler, so another sampler may be valid too.
    sampler: issues.get('sampler') === 'not_a_setting' ? undefined : values.sampler,
    reference_images: each('reference_images', values.reference_images, fields.referenceImages),
    image: kept('image', values.image),
    mode: kept('mode', values.mode) ?? 'transform',
    mask: kept('mask', values.mask),
    inpaint_type: kept('inpaint_type', values.inpaint_type),
    duration: kept('duration', values.duration),
    start_image: kept('start_image', values.start_image),
    end_image: kept('end_image', values.end_image),
    reference_audios: each('reference_audios', values.reference_audios, fields.audios?.max ?? 0),
    source_video: kept('source_video', values.source_video),
    video: kept('video_id', values.video),
    resolution: kept('resolution', values.resolution),
  };
}

type Issues = ReadonlyMap<string, Issue['code']>;

function isOffRange(code: Issue['code'] | undefined): boolean {
  return code === 'out_of_range' || code === 'off_step';
}

/** Returns the issues of the values by path, and the request that the values make. */
function validateValues(
  kind: GenerationKind,
  model: Model,
  values: FormValues,
  { styles, suggestions }: Choices,
): { issues: Issues; request: { options: Readonly<Record<string, OptionValue>> } } {
  const asked = askedOf(values);
  const { issues, request } = validateRequest(kind, model, asked);
  const chosen = validateChoices(
    kind,
    { styles: byId(styles ?? []), suggestions: byId(suggestions ?? []) },
    {
      styles: styles && asked.styles,
      suggestions: suggestions && asked.suggestions,
    },
  );
  return { issues: new Map([...issues, ...chosen].map(({ field, code }) => [field, code])), request };
}

/** Returns the values as a request has them. */
function askedOf(values: FormValues): AskedRequest {
  return {
    ...values,
    reference_images: values.reference_images.map(({ value }) => value),
    image: values.image?.value,
    start_image: values.start_image?.value,
    end_image: values.end_image?.value,
    reference_audios: values.reference_audios.map(({ value }) => value),
    source_video: values.source_video?.value,
    video_id: values.video?.value,
  };
}

function byId<T extends { id: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  return new Map(list.map((one) => [one.id, one]));
}

/** Returns the nearest value of a range that its steps reach. `undefined` without a value or a range. */
export function fitNumber(value: number | undefined, range: NumberRange | undefined): number | undefined {
  if (value === undefined || range === undefined || !Number.isFinite(value)) return undefined;
  const { min, max, step } = range;
  const inside = Math.min(max, Math.max(min, value));
  if (!(step > 0)) return inside;
  const steps = Math.min(Math.round((inside - min) / step), Math.floor((max - min) / step + 1e-9));
  return withoutNoise(min + steps * step);
}

/** Returns the default of an option as the form shows it. */
export function optionDefault(option: ModelOption): OptionValue {
  if (option.type === 'toggle') return String(option.default) === '1' || String(option.default) === 'true';
  if (option.type === 'slider') return Number(option.default);
  return String(option.default);
}

/** Returns the range of a slider option. Values that the catalog leaves out get defaults. */
export function sliderRange(option: ModelOption): NumberRange {
  const { min = 0, max = 100, step = 1 } = option;
  return { min, max, step, default: Number(option.default) };
}

/** Returns the set options in the form that the request has: 1 and "true" both mean true. */
function fittingOptions(
  options: readonly ModelOption[],
  values: Readonly<Record<string, OptionValue>>,
  read: Readonly<Record<string, OptionValue>>,
  issues: Issues,
): Record<string, OptionValue> {
  const fitting: Record<string, OptionValue> = {};
  for (const option of options) {
    if (!Object.hasOwn(values, option.key)) continue;
    const code = issues.get(`options.${option.key}`);
    let value = code === undefined ? read[option.key] : undefined;
    if (isOffRange(code)) value = fitNumber(Number(values[option.key]), sliderRange(option));
    if (code === 'too_many_characters')
      value = [...String(values[option.key])].slice(0, option.max_length).join('');
    if (value !== undefined) fitting[option.key] = value;
  }
  return fitting;
}

/** Removes floating-point noise: 0.3 + 7 × 0.1 is 1, not 0.9999999999999999. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}
