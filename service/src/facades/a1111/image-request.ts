import { kindFacts } from '@renderkit/contract/studio/kinds.ts';
import { samplersOf } from '@renderkit/contract/studio/offers.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { maxStrength, minStrength } from '@renderkit/contract/v1/limits.ts';
import type { CatalogIndex } from '../../catalog/catalog-index.ts';
import { ApiProblem, invalidField } from '../../problems/api-problem.ts';
import { chooseModel, type ChosenModel, describeOtherSuite } from '../choose-model.ts';
import { nearestSize, sizeMade } from '../choose-size.ts';
import type { Asked } from '../facade-exchange.ts';
import { a1111Fields, type FieldsOf, ignoredOf, maxOutputs, settingsOf } from '../field-tables.ts';
import { mapOwnFields } from '../own-fields.ts';
import { planCreates } from '../plan-creates.ts';
import type { TakenImage } from '../take-image.ts';

/** The settings that an answer reports in addition to the prompt. */
type ReportedSettings = { negativePrompt: string; seed: number; steps: number };

/** A request for pictures, with what its answer reports. */
export type A1111Request = Asked & {
  model: StudioModel;
  prompt: string;
  /** The settings as the client sent them. */
  sent: ReportedSettings;
  /** The settings that the model accepts, within its ranges. The generations record the seed that was used. */
  taken: Omit<ReportedSettings, 'seed'>;
};

type ImageFields = FieldsOf<typeof a1111Fields>;

/** The pictures of an `img2img`. */
export type Sources = { images: readonly TakenImage[]; mask: TakenImage | undefined };

const neverCounts = ignoredOf(a1111Fields);
const ofEveryImage: readonly string[] = kindFacts.image.settings;
const settings = settingsOf(a1111Fields).filter(({ setting }) => ofEveryImage.includes(setting));
const settingsOfMasks = settingsOf(a1111Fields).filter(({ setting }) => !ofEveryImage.includes(setting));

/**
 * Maps `txt2img` and, with sources, `img2img`. Programs send every field they have, most with values that change
 * nothing. So fields without a matching setting of the model are ignored, and numbers are brought into its ranges.
 * @throws ApiProblem invalid_request; not_found where there is no such model
 */
export function readA1111Request(
  index: CatalogIndex,
  fields: ImageFields,
  { chosenModel, sources }: { chosenModel: string | undefined; sources?: Sources },
): A1111Request {
  const kind = sources === undefined ? 'image' : 'image_edit';
  const suite = kind === 'image' ? 'image' : 'edit';
  const chosen = chooseFor(index, suite, fields, chosenModel);
  if ('unknown' in chosen) throw new ApiProblem('not_found', { detail: `${chosen.unknown}.` });
  const { model, named } = chosen;
  if (!model.suites.includes(suite))
    throw new ApiProblem('invalid_request', { detail: `${describeOtherSuite(model, index, suite)}.` });
  const seed = numberOf(fields.seed);
  const { body, ignored } = mapOwnFields(
    {
      project_id: fields.project_id,
      aspect_ratio: fields.aspect_ratio,
      options: fields.options,
      metadata: fields.metadata,
      seed: seed === undefined || seed < 0 ? undefined : seed,
      steps: numberOf(fields.steps),
      negative_prompt: textOf(fields.negative_prompt),
    },
    model,
  );
  fitOptions(body, model);
  body['prompt'] = textOf(fields.prompt) ?? '';
  if (named) body['model'] = model.id;
  chooseRatio(fields, model, body);
  addSettings(fields, model, body, ignored);
  if (sources !== undefined) addSources(fields, model, body, sources, ignored);
  ignored.push(...neverCounts.filter((field) => isSet(fields[field])));
  const outputs = countOf(fields);
  return {
    route: sources === undefined ? 'a1111.txt2img' : 'a1111.img2img',
    wanted: planCreates(kind, model, body, outputs),
    outputs,
    size: sizeMade(model, body),
    ignored,
    // Programs also send their own settings, even their keys: stores only the fields that have an effect.
    identity: {
      ...body,
      image: undefined,
      reference_images: undefined,
      mask: sources?.mask?.identity,
      images: sources?.images.map(({ identity }) => identity),
      outputs,
    },
    pictures: sources === undefined ? [] : [...sources.images, ...(sources.mask ? [sources.mask] : [])],
    model,
    prompt: body['prompt'] as string,
    sent: { ...reportedSettings(fields), seed: seed ?? -1 },
    taken: reportedSettings((body['options'] as ImageFields | undefined) ?? {}),
  };
}

function reportedSettings({
  negative_prompt: negativePrompt,
  steps,
}: ImageFields): Omit<ReportedSettings, 'seed'> {
  return { negativePrompt: textOf(negativePrompt) ?? '', steps: numberOf(steps) ?? 0 };
}

/** Uses the model that a key has chosen, if it can make what the request asks for. */
function chooseFor(
  index: CatalogIndex,
  suite: 'image' | 'edit',
  fields: ImageFields,
  chosenModel: string | undefined,
): ChosenModel {
  const overrides = fields.override_settings as { sd_model_checkpoint?: unknown } | null | undefined;
  const named = textOf(overrides?.sd_model_checkpoint);
  if (named !== undefined) return chooseModel(index, suite, named);
  const chosen = chooseModel(index, suite, chosenModel);
  const suits = 'model' in chosen && chosen.model.suites.includes(suite);
  return suits ? chosen : chooseModel(index, suite, undefined);
}

function chooseRatio(fields: ImageFields, { parameters }: StudioModel, body: Record<string, unknown>): void {
  const [width, height] = [numberOf(fields.width) ?? 0, numberOf(fields.height) ?? 0];
  if (width <= 0 || height <= 0) return;
  const nearest = nearestSize(parameters.aspect_ratios, { width, height });
  if (nearest !== undefined) body['aspect_ratio'] ??= nearest.ratio;
}

function addSettings(
  fields: ImageFields,
  { parameters }: StudioModel,
  body: Record<string, unknown>,
  ignored: string[],
): void {
  fitSettings(settings, fields, parameters, body, ignored);
  const sampler = textOf(fields.sampler_name) ?? textOf(fields.sampler_index);
  const known = samplersOf(parameters).find((one) => one.toLowerCase() === sampler?.toLowerCase());
  if (known !== undefined) body['sampler'] = known;
  else if (sampler !== undefined && sampler !== 'Automatic') ignored.push('sampler_name');
}

/** White marks the part that changes, in the masks of this API as in ours. */
function addSources(
  fields: ImageFields,
  { parameters }: StudioModel,
  body: Record<string, unknown>,
  { images: [first, ...others], mask }: Sources,
  ignored: string[],
): void {
  if (first === undefined) throw invalidField('init_images', 'must hold a picture');
  body['image'] = first.reference;
  if (others.length > 0) body['reference_images'] = others.map(({ reference }) => reference);
  const strength = numberOf(fields.denoising_strength);
  if (strength !== undefined) body['strength'] = Math.min(maxStrength, Math.max(minStrength, strength));
  if (mask === undefined) return;
  if (isSet(fields.inpainting_mask_invert))
    throw invalidField(
      'inpainting_mask_invert',
      'must be 0: send a mask that is white where the picture is to change',
    );
  body['mode'] = 'inpaint';
  body['mask'] = mask.reference;
  fitSettings(settingsOfMasks, fields, parameters, body, ignored);
}

/** Sets the settings for which the model has a range. Numbers without a range are ignored. */
function fitSettings(
  wanted: typeof settings,
  fields: ImageFields,
  parameters: StudioModel['parameters'],
  body: Record<string, unknown>,
  ignored: string[],
): void {
  for (const { field, setting } of wanted) {
    const value = numberOf(fields[field]);
    const range = parameters[setting];
    if (value === undefined) continue;
    if (range === null) ignored.push(field);
    else body[setting] = within(value, range);
  }
}

/** Brings numeric options into the model's ranges, because clients' sliders have other ranges. */
function fitOptions(body: Record<string, unknown>, { parameters }: StudioModel): void {
  const options = body['options'] as Record<string, unknown> | undefined;
  for (const { key, min, max, step } of parameters.options) {
    const value = options?.[key];
    if (typeof value !== 'number' || min === undefined || max === undefined) continue;
    (options as Record<string, unknown>)[key] = within(value, { min, max, step: step ?? 1 });
  }
}

function within(value: number, { min, max, step }: { min: number; max: number; step: number }): number {
  const steps = Math.round((Math.min(max, Math.max(min, value)) - min) / step);
  // Sums of steps such as 0.1 are not exact, so the result is rounded.
  return Number(Math.min(max, min + steps * step).toFixed(6));
}

function countOf(fields: ImageFields): number {
  const outputs = (numberOf(fields.batch_size) ?? 1) * (numberOf(fields.n_iter) ?? 1);
  if (!Number.isInteger(outputs) || outputs < 1 || outputs > maxOutputs)
    throw invalidField('batch_size', `times n_iter must be a whole number from 1 to ${maxOutputs}`);
  return outputs;
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
