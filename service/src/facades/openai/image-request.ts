import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { maxPromptCharacters } from '@renderkit/contract/v1/limits.ts';
import type { CatalogIndex } from '../../catalog/catalog-index.ts';
import { chooseModel, describeOtherSuite } from '../choose-model.ts';
import { nearestSize, readSize, sizeMade } from '../choose-size.ts';
import type { Asked } from '../facade-exchange.ts';
import {
  askedFor,
  type FieldsOf,
  ignoredOf,
  imageFields,
  maxOutputs,
  maxPartialImages,
} from '../field-tables.ts';
import { mapOwnFields, valueOf } from '../own-fields.ts';
import { planCreates } from '../plan-creates.ts';
import type { FacadeRequest } from '../read-request.ts';
import type { TakenImage } from '../take-image.ts';
import { openAiRefusal } from './errors.ts';

/** A request for pictures after it was mapped, and the form of its answer. */
export type ImageRequest = Asked & {
  asUrl: boolean;
  stream: boolean;
  /** How many previews a stream shows at most. */
  partialImages: number;
  quality: string;
};

const neverCounts = ignoredOf(imageFields);

/**
 * Maps a request of OpenAI's image endpoints. Ignores unknown names; refuses fields that would make another picture
 * than was asked for.
 * @throws OpenAiRefusal
 */
export function readImageRequest(
  index: CatalogIndex,
  { fields: given, files }: FacadeRequest,
  pictures?: { images: TakenImage[]; mask: TakenImage | undefined },
): ImageRequest {
  const fields: FieldsOf<typeof imageFields> = given;
  const suite = pictures === undefined ? 'image' : 'edit';
  const chosen = chooseModel(index, suite, fields.model);
  if ('unknown' in chosen) throw openAiRefusal(404, 'model_not_found', sentence(chosen.unknown), 'model');
  const { model, named } = chosen;
  if (!model.suites.includes(suite))
    throw openAiRefusal(400, 'invalid_value', sentence(describeOtherSuite(model, index, suite)), 'model');
  const { body, ignored } = mapOwnFields(fields, model);
  const prompt = promptOf(fields.prompt, 'prompt');
  if (prompt !== undefined) body['prompt'] = prompt;
  if (named) body['model'] = model.id;
  const n = countOf(fields.n);
  refuseTransparency(fields.background, model, body);
  if (pictures !== undefined) addImages(body, pictures);
  const size = chooseSize(fields, model, body, ignored);
  const quality = chooseQuality(fields.quality, model, body, ignored);
  ignored.push(...neverCounts.filter((name) => fields[name] !== undefined));
  const kind = pictures === undefined ? 'image' : 'image_edit';
  return {
    route: pictures === undefined ? 'openai.images.generations' : 'openai.images.edits',
    wanted: planCreates(kind, model, body, n),
    outputs: n,
    asUrl: fields.response_format === 'url',
    stream: valueOf(fields.stream) === true,
    partialImages: partialImagesOf(fields.partial_images),
    size,
    quality,
    ignored,
    identity: {
      ...askedFor(imageFields, given),
      image: pictures?.images.map(({ identity }) => identity),
      images: undefined,
      mask: pictures?.mask?.identity,
      files: files.map(({ field, sha256 }) => [field, sha256]),
    },
    pictures: pictures === undefined ? [] : [...pictures.images, ...(pictures.mask ? [pictures.mask] : [])],
  };
}

/** Returns a prompt. @throws OpenAiRefusal where it is too long, or not a string */
export function promptOf(prompt: unknown, field: string): string | undefined {
  if (prompt === undefined) return undefined;
  if (typeof prompt !== 'string')
    throw openAiRefusal(400, 'invalid_type', `${field} must be a string.`, field);
  if ([...prompt].length > maxPromptCharacters)
    throw openAiRefusal(
      400,
      'string_above_max_length',
      `${field} must be at most ${maxPromptCharacters} characters.`,
      field,
    );
  return prompt;
}

function partialImagesOf(value: unknown): number {
  const images = valueOf(value ?? 0);
  if (typeof images !== 'number' || !Number.isInteger(images) || images < 0 || images > maxPartialImages)
    throw openAiRefusal(
      400,
      'invalid_value',
      `partial_images must be a whole number from 0 to ${maxPartialImages}.`,
      'partial_images',
    );
  return images;
}

/** Returns how many pictures are asked for; 1 by default. @throws OpenAiRefusal */
export function countOf(value: unknown): number {
  const n = value === undefined ? 1 : valueOf(value);
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > maxOutputs)
    throw openAiRefusal(400, 'invalid_value', `n must be a whole number from 1 to ${maxOutputs}.`, 'n');
  return n;
}

/** Refuses a transparent background that the model does not have: a picture without it is worse than an error. */
function refuseTransparency(background: unknown, model: StudioModel, body: Record<string, unknown>): void {
  if (background !== 'transparent') return;
  const option = model.parameters.options.find(({ key }) => key === 'background');
  if (option?.values?.some(({ value }) => value === 'transparent') !== true)
    throw openAiRefusal(
      400,
      'invalid_value',
      `The model ${model.id} has no transparent background.`,
      'background',
    );
  body['options'] = { ...(body['options'] as object | undefined), background: 'transparent' };
}

/** Sets the ratio nearest to `size`, unless a ratio is given. @returns the size that is made, where it is known */
export function chooseSize(
  { size: asked }: { readonly size?: unknown },
  model: StudioModel,
  body: Record<string, unknown>,
  ignored: string[],
): string | undefined {
  const wanted = readSize(asked);
  if (wanted === undefined && asked !== undefined && asked !== 'auto') ignored.push('size');
  if (wanted !== undefined && body['aspect_ratio'] === undefined) {
    const nearest = nearestSize(model.parameters.aspect_ratios, wanted);
    if (nearest === undefined) ignored.push('size');
    else body['aspect_ratio'] = nearest.ratio;
  }
  return sizeMade(model, body);
}

/** Sets the model's option `quality` or `resolution`, if it has the wanted value. */
function chooseQuality(
  quality: unknown,
  { parameters }: StudioModel,
  body: Record<string, unknown>,
  ignored: string[],
): string {
  if (typeof quality !== 'string' || quality === 'auto') return 'auto';
  const option = parameters.options.find(
    ({ key, values }) =>
      (key === 'quality' || key === 'resolution') && values?.some(({ value }) => value === quality) === true,
  );
  if (option === undefined) {
    ignored.push('quality');
    return 'auto';
  }
  body['options'] = { ...(body['options'] as object | undefined), [option.key]: quality };
  return quality;
}

export function addImages(
  body: Record<string, unknown>,
  { images, mask }: { images: TakenImage[]; mask: TakenImage | undefined },
): void {
  const [first, ...others] = images.map(({ reference }) => reference);
  body['image'] = first;
  if (others.length > 0) body['reference_images'] = others;
  if (mask === undefined) return;
  body['mode'] = 'inpaint';
  body['mask'] = mask.reference;
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
