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
 * A request of any kind as validation reads it: the body of a create, or what the studio was sent. Fields that its kind
 * does not have are not looked at.
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
  /** Seconds: 5 and "5" are the same. */
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
 * The one check of a request against its model, for the service, the studio and the console's form. Returns all that is
 * wrong, in the words of the API, and the request with every default filled in, which means nothing while there are issues.
 * What needs more than the model is checked elsewhere: names of the catalog by `validate-choices.ts`, references by
 * `validate-references.ts`, the plan and the person's age by whoever knows them.
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

/** What can be said of a mask and what goes with it without a model: they belong to an inpaint, and an inpaint has a mask. */
export function validateMode(asked: AskedRequest): Issue[] {
  if (asked.mode === 'inpaint')
    return asked.mask === undefined ? [{ field: 'mask', code: 'required_by_inpaint' }] : [];
  return (['mask', 'inpaint_type', 'mask_blur'] as const).flatMap((field): Issue[] =>
    asked[field] === undefined ? [] : [{ field, code: 'inpaint_only' }],
  );
}

/** How far an edit departs from its source where nothing is asked for: further where a masked area is filled anew. */
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

/** What images, edits and videos have in common. */
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

/** One of the ratios on offer; the first where none is asked for, or none at all where the source's is kept. */
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

/** A number within the model's range for it; its default where none was asked for. */
function settingOf({ model, asked, issues }: Check, name: SettingName): number | undefined {
  const value = asked[name];
  const range = model.parameters[name];
  if (value === undefined) return range?.default;
  const issue: Issue | undefined =
    range === null ? { field: name, code: 'not_a_setting' } : validateNumber(name, value, range);
  if (issue !== undefined) issues.push(issue);
  return value;
}

/** What is wrong with a number; what a range leaves out is open. */
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

/** Whether steps of decimal fractions lead to the value: 0.3 + 7 × 0.1 is 1 here. */
function isOnStep(value: number, min: number, step: number): boolean {
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) <= 1e-12 * Math.max(1, Math.abs(steps));
}

/** Every option of the model with its value, the default where none was sent. `fieldOf` says where a key was sent. */
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

/** The value that an option takes, or what is wrong with it. */
export function readOption(
  option: OfferedOption,
  asked: OptionValue,
  field: string,
): { value: OptionValue; issue?: undefined } | { value?: undefined; issue: Issue } {
  switch (option.type) {
    case 'select': {
      const values = option.values ?? [];
      // A number and its text are the same choice; a truth value is none.
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
      // Counted by code points, as the prompt is.
      const characters = [...asked].length;
      return characters <= allowed
        ? { value: asked }
        : { issue: { field, code: 'too_many_characters', asked: characters, allowed } };
    }
  }
}

/** The default of an option as a request would say it. */
export function optionDefault(option: OfferedOption): OptionValue {
  return option.type === 'toggle' ? (truthOf(option.default) ?? false) : option.default;
}

/** The catalog writes a toggle's default as 0 or 1, so these and their words are as good as true and false. */
function truthOf(value: OptionValue): boolean | undefined {
  if (value === true || value === 1 || value === '1' || value === 'true') return true;
  if (value === false || value === 0 || value === '0' || value === 'false') return false;
  return undefined;
}

/** A list of references, of which a model takes so many. */
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

/** One reference that a model takes, must have, or does not take. */
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
