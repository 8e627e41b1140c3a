import type { Issue } from './issues.ts';
import { type Kind, kindFacts, maxTextOptionCharacters, type SettingName } from './kinds.ts';
import {
  durationsOf,
  type OfferedModel,
  type OfferedOption,
  type OptionValue,
  ratiosOf,
  resolutionKey,
  samplersOf,
} from './offers.ts';
import type { RenderRequest } from './schemas/render.ts';

/**
 * A request of any kind, as validation reads it: the body of a create, or the request that the studio received. Fields
 * of other kinds are ignored.
 */
export type AskedRequest = { readonly [S in SettingName]?: number | undefined } & {
  readonly project_id?: string | null | undefined;
  readonly prompt?: string | undefined;
  readonly styles?: readonly string[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly base_model?: string | undefined;
  readonly options?: Readonly<Record<string, OptionValue>> | undefined;
  readonly aspect_ratio?: string | undefined;
  readonly sampler?: string | undefined;
  readonly reference_images?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly mode?: 'transform' | 'inpaint' | undefined;
  readonly strength?: number | undefined;
  readonly mask?: string | undefined;
  readonly inpaint_type?: 'refine' | 'fill' | undefined;
  /** Seconds; 5 and "5" are equivalent. */
  readonly duration?: string | number | undefined;
  readonly start_image?: string | undefined;
  readonly end_image?: string | undefined;
  readonly reference_audios?: readonly string[] | undefined;
  readonly source_video?: string | undefined;
  readonly video_id?: string | undefined;
  readonly resolution?: string | undefined;
};

type Check = { kind: Kind; model: OfferedModel; asked: AskedRequest; issues: Issue[] };

/**
 * Validates a request against its model, for the service, the studio and the console's form. Returns all issues, with
 * the field names of the API, and the request with every default filled in. Callers must not use the request when there
 * are issues.
 *
 * Other checks need more than the model: `validate-choices.ts` checks names of the catalog, `validate-references.ts`
 * checks references. The callers that have the plan and the person's age check these.
 */
export function validateRequest(
  kind: Kind,
  model: OfferedModel,
  asked: AskedRequest,
): { issues: Issue[]; request: RenderRequest } {
  const issues: Issue[] = kind === 'image_edit' ? validateMode(asked) : [];
  const check: Check = { kind, model, asked, issues };
  if (model.prompt_required && (asked.prompt ?? '').trim() === '')
    issues.push({ field: 'prompt', code: 'required' });
  return { issues, request: requestOf(check) };
}

/** Validates the fields of a mask without a model: only an inpaint may have them, and an inpaint must have a mask. */
export function validateMode(asked: AskedRequest): Issue[] {
  if (asked.mode === 'inpaint')
    return asked.mask === undefined ? [{ field: 'mask', code: 'required_by_inpaint' }] : [];
  return (['mask', 'inpaint_type', 'mask_blur'] as const).flatMap((field): Issue[] =>
    asked[field] === undefined ? [] : [{ field, code: 'inpaint_only' }],
  );
}

/** Returns the default for how much an edit changes its source; the value is larger when a masked area is filled. */
export function strengthDefault(asked: Pick<AskedRequest, 'mode' | 'inpaint_type'>): number {
  return asked.mode === 'inpaint' && asked.inpaint_type === 'fill' ? 0.8 : 0.5;
}

function requestOf(check: Check): RenderRequest {
  const { kind, model, asked } = check;
  const any = {
    model: model.id,
    project_id: asked.project_id ?? null,
    prompt: asked.prompt ?? '',
    styles: [...(asked.styles ?? [])],
    suggestions: [...(asked.suggestions ?? [])],
  };
  switch (kind) {
    case 'image':
      return { kind, ...any, ...drawnPart(check), ...ratioPart(check, false), ...samplerPart(check) };
    case 'image_edit':
      return { kind, ...any, ...editPart(check) };
    case 'video':
      return { kind, ...any, ...videoPart(check) };
    case 'video_extend':
      return { kind, ...any, ...extensionPart(check) };
  }
}

/** Returns the part that images, edits and videos have in common. */
function drawnPart(check: Check) {
  const { kind, model, asked } = check;
  const baseModel = baseModelOf(check);
  const options = filledOptions(check, asked.options ?? {}, (key) => `options.${key}`);
  const settings: { [S in SettingName]?: number } = {};
  for (const name of kindFacts[kind].settings) {
    const value = settingOf(check, name);
    if (value !== undefined) settings[name] = value;
  }
  return {
    ...(baseModel !== undefined && { base_model: baseModel }),
    options,
    ...settings,
    reference_images: listOf(check, 'reference_images', model.parameters.max_reference_images),
  };
}

function editPart(check: Check) {
  const { model, asked, issues } = check;
  const image = referenceOf(check, 'image', { taken: true, required: true });
  const source = {
    ...drawnPart(check),
    ...ratioPart(check, model.parameters.same_ratio_supported),
    ...samplerPart(check),
    ...image,
    strength: asked.strength ?? strengthDefault(asked),
  };
  if (asked.mode !== 'inpaint') return { ...source, mode: 'transform' as const };
  if (!model.inpaint) issues.push({ field: 'mode', code: 'cannot_inpaint' });
  const blur = settingOf(check, 'mask_blur');
  return {
    ...source,
    mode: 'inpaint' as const,
    ...(asked.mask !== undefined && { mask: asked.mask }),
    inpaint_type: asked.inpaint_type ?? ('refine' as const),
    ...(blur !== undefined && { mask_blur: blur }),
  };
}

function videoPart(check: Check) {
  const { model, asked } = check;
  const { frames, audio, source_video: source, same_ratio_supported: sameRatio } = model.parameters;
  const drawn = drawnPart(check);
  const start = referenceOf(check, 'start_image', { taken: frames.start, required: frames.start_required });
  const end = referenceOf(check, 'end_image', { taken: frames.end, required: frames.end_required });
  const audios = listOf(check, 'reference_audios', audio?.max_quantity ?? 0);
  const redrawn = referenceOf(check, 'source_video', { taken: source !== null, required: false });
  const hasSource = asked.start_image !== undefined || asked.source_video !== undefined;
  return {
    ...drawn,
    ...ratioPart(check, sameRatio && hasSource),
    ...durationPart(check),
    ...start,
    ...end,
    ...(audios.length > 0 && { reference_audios: audios }),
    ...redrawn,
  };
}

function extensionPart(check: Check) {
  const { asked } = check;
  const video = referenceOf(check, 'video_id', { taken: true, required: true });
  const length = durationPart(check);
  const sent: Record<string, OptionValue> =
    asked.resolution === undefined ? {} : { [resolutionKey]: asked.resolution };
  const options = filledOptions(check, { ...asked.options, ...sent }, (key) =>
    key === resolutionKey && asked.resolution !== undefined ? key : `options.${key}`,
  );
  const resolution = options[resolutionKey];
  return {
    options,
    reference_images: [],
    ...length,
    ...video,
    ...(resolution !== undefined && { resolution: String(resolution) }),
  };
}

/** Returns the requested ratio; the first one when none is requested, or none when the ratio of the source is kept. */
function ratioPart(check: Check, keepsSource: boolean): { aspect_ratio?: string } {
  const { kind, model, asked } = check;
  const ratios = ratiosOf(model.parameters, kindFacts[kind].suite);
  const [first] = ratios;
  const ratio = asked.aspect_ratio ?? (keepsSource ? undefined : first);
  if (asked.aspect_ratio !== undefined) checkOffered(check, 'aspect_ratio', asked.aspect_ratio, ratios);
  return ratio === undefined ? {} : { aspect_ratio: ratio };
}

function samplerPart(check: Check): { sampler?: string } {
  const samplers = samplersOf(check.model.parameters);
  const sampler = check.asked.sampler ?? samplers[0];
  if (check.asked.sampler !== undefined) checkOffered(check, 'sampler', check.asked.sampler, samplers);
  return sampler === undefined ? {} : { sampler };
}

function durationPart(check: Check): { duration_seconds?: number } {
  const durations = durationsOf(check.model.parameters);
  const asked = check.asked.duration;
  const found =
    asked === undefined
      ? durations[0]
      : (durations.find(({ value }) => value === String(asked)) ??
        durations.find(({ seconds }) => seconds === asked));
  if (asked !== undefined && found === undefined)
    checkOffered(
      check,
      'duration',
      asked,
      durations.map(({ value }) => value),
    );
  return found === undefined ? {} : { duration_seconds: found.seconds };
}

function baseModelOf(check: Check): string | undefined {
  const { model, asked } = check;
  const groups = Object.values(model.base_models ?? {});
  if (asked.base_model === undefined) return groups[0]?.default;
  checkOffered(
    check,
    'base_model',
    asked.base_model,
    groups.flatMap(({ options }) => options),
  );
  return asked.base_model;
}

function checkOffered(
  { issues }: Check,
  field: string,
  asked: string | number,
  allowed: readonly string[],
): void {
  if (allowed.length === 0) issues.push({ field, code: 'not_a_setting' });
  else if (!allowed.includes(String(asked))) issues.push({ field, code: 'not_offered', asked, allowed });
}

/** Returns a requested setting, or its default. Adds an issue when it is not within the model's range. */
function settingOf({ model, asked, issues }: Check, name: SettingName): number | undefined {
  const value = asked[name];
  const range = model.parameters[name];
  if (value === undefined) return range?.default;
  const issue: Issue | undefined =
    range === null ? { field: name, code: 'not_a_setting' } : validateNumber(name, value, range);
  if (issue !== undefined) issues.push(issue);
  return value;
}

/** Returns what is wrong with a number. A missing part of the range sets no limit. */
function validateNumber(
  field: string,
  asked: number,
  {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
    step = 0,
  }: { min?: number | undefined; max?: number | undefined; step?: number | undefined },
): Issue | undefined {
  if (asked < min || asked > max) return { field, code: 'out_of_range', asked, allowed: { min, max } };
  if (step > 0 && Number.isFinite(min) && !isOnStep(asked, min, step))
    return { field, code: 'off_step', asked, allowed: { min, step } };
  return undefined;
}

/**
 * Returns whether a whole number of steps leads to the value, with a tolerance for decimal fractions: 0.3 + 7 × 0.1
 * counts as 1.
 */
function isOnStep(value: number, min: number, step: number): boolean {
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) <= 1e-12 * Math.max(1, Math.abs(steps));
}

/**
 * Returns every option of the model with its value; the default when none was sent. `fieldOf` returns the path of a key
 * in the request.
 */
function filledOptions(
  { model, issues }: Check,
  sent: Readonly<Record<string, OptionValue>>,
  fieldOf: (key: string) => string,
): Record<string, OptionValue> {
  const { options } = model.parameters;
  const offered = new Map(options.map((option) => [option.key, option]));
  for (const key of Object.keys(sent))
    if (!offered.has(key))
      issues.push({ field: fieldOf(key), code: 'unknown_option', asked: key, allowed: [...offered.keys()] });
  return Object.fromEntries(
    options.map((option) => {
      if (!Object.hasOwn(sent, option.key)) return [option.key, optionDefault(option)];
      const read = readOption(option, sent[option.key] as OptionValue, fieldOf(option.key));
      if (read.issue !== undefined) issues.push(read.issue);
      return [option.key, read.value ?? optionDefault(option)];
    }),
  );
}

/** Returns the value of an option, or what is wrong with it. */
export function readOption(
  option: OfferedOption,
  asked: OptionValue,
  field: string,
): { value: OptionValue; issue?: undefined } | { value?: undefined; issue: Issue } {
  switch (option.type) {
    case 'select': {
      const values = option.values ?? [];
      // A number and its text are the same choice; a boolean is never a choice.
      const chosen = values.find(
        ({ value }) => typeof asked !== 'boolean' && String(value) === String(asked),
      );
      if (chosen !== undefined) return { value: chosen.value };
      return {
        issue: { field, code: 'not_offered', asked, allowed: values.map(({ value }) => String(value)) },
      };
    }
    case 'toggle': {
      const value = truthOf(asked);
      return value === undefined ? { issue: { field, code: 'not_a_truth', asked } } : { value };
    }
    case 'slider': {
      if (typeof asked !== 'number') return { issue: { field, code: 'not_a_number', asked } };
      const issue = validateNumber(field, asked, option);
      return issue === undefined ? { value: asked } : { issue };
    }
    case 'text': {
      if (typeof asked !== 'string') return { issue: { field, code: 'not_a_text', asked } };
      const allowed = option.max_length ?? maxTextOptionCharacters;
      // Counted in code points, like the prompt.
      const characters = [...asked].length;
      return characters <= allowed
        ? { value: asked }
        : { issue: { field, code: 'too_many_characters', asked: characters, allowed } };
    }
  }
}

/** Returns the default of an option in the form that a request would have. */
export function optionDefault(option: OfferedOption): OptionValue {
  return option.type === 'toggle' ? (truthOf(option.default) ?? false) : option.default;
}

/**
 * Converts a value to a boolean. The catalog writes the default of a toggle as 0 or 1, so 0, 1 and the words are
 * accepted too.
 */
function truthOf(value: OptionValue): boolean | undefined {
  if (value === true || value === 1 || value === '1' || value === 'true') return true;
  if (value === false || value === 0 || value === '0' || value === 'false') return false;
  return undefined;
}

/** Returns a list of references. Adds an issue when it has more than the model takes. */
function listOf(
  { asked, issues }: Check,
  field: 'reference_images' | 'reference_audios',
  max: number,
): string[] {
  const references = asked[field] ?? [];
  if (references.length > max)
    issues.push(
      max === 0
        ? { field, code: 'not_taken' }
        : { field, code: 'too_many', asked: references.length, allowed: max },
    );
  return [...references];
}

/**
 * Returns a reference. Adds an issue when the model requires it and it is missing, or when the model does not take it.
 */
function referenceOf<F extends 'image' | 'start_image' | 'end_image' | 'source_video' | 'video_id'>(
  { asked, issues }: Check,
  field: F,
  { taken, required }: { taken: boolean; required: boolean },
): { [N in F]?: string } {
  const reference = asked[field];
  if (reference === undefined) {
    if (required) issues.push({ field, code: 'required' });
    return {};
  }
  if (!taken) issues.push({ field, code: 'not_taken' });
  return { [field]: reference } as { [N in F]: string };
}
