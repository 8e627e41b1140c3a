import { outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { maxPromptCharacters } from '@renderkit/contract/v1/limits.ts';
import type { CatalogIndex } from '../../catalog/catalog-index.ts';
import { chooseModel } from '../choose-model.ts';
import { nearestSize, readSize } from '../choose-size.ts';
import type { Wanted } from '../make-outputs.ts';
import { mapOwnFields, valueOf } from '../own-fields.ts';
import type { FacadeRequest } from '../read-request.ts';
import type { TakenImage } from '../take-image.ts';
import { openAiError, type OpenAiError } from './errors.ts';

/** A refusal in the shape of this API, before anything was made. */
export class OpenAiRefusal extends Error {
  override name = 'OpenAiRefusal';
  readonly answer: OpenAiError;

  constructor(answer: OpenAiError) {
    super(answer.body.error.message);
    this.answer = answer;
  }
}

/** A request for pictures as we understand it, and as it is answered. */
export type ImageRequest = {
  wanted: Wanted;
  /** Outputs that the client asked for. */
  outputs: number;
  asUrl: boolean;
  stream: boolean;
  /** As `1024x1024`, the size that is really made; undefined where it follows the source. */
  size: string | undefined;
  quality: string;
  /** Fields that came and count for nothing. */
  ignored: string[];
  /** What makes two such requests equal. */
  identity: Record<string, unknown>;
};

export const maxOutputs = 10;
const neverCounts = ['moderation', 'style', 'input_fidelity', 'output_format', 'output_compression'] as const;
const howItIsAnswered = new Set(['stream', 'partial_images', 'response_format']);

/**
 * Maps a request of OpenAI's image endpoints. Unknown names count for nothing; what would make another picture than was asked
 * for is refused.
 * @throws OpenAiRefusal
 */
export function readImageRequest(
  index: CatalogIndex,
  { fields, files }: FacadeRequest,
  pictures?: { images: TakenImage[]; mask: TakenImage | undefined },
): ImageRequest {
  const suite = pictures === undefined ? 'image' : 'edit';
  const chosen = chooseModel(index, suite, fields['model']);
  if ('unknown' in chosen) throw refusal(404, 'model_not_found', sentence(chosen.unknown), 'model');
  const { model, named } = chosen;
  const { body, ignored } = mapOwnFields(fields, model);
  const prompt = fields['prompt'];
  if (prompt !== undefined && typeof prompt !== 'string')
    throw refusal(400, 'invalid_type', 'prompt must be a string.', 'prompt');
  if (prompt !== undefined && [...prompt].length > maxPromptCharacters)
    throw refusal(
      400,
      'string_above_max_length',
      `prompt must be at most ${maxPromptCharacters} characters.`,
      'prompt',
    );
  if (prompt !== undefined) body['prompt'] = prompt;
  if (named) body['model'] = model.id;
  const n = countOf(fields['n']);
  refuseTransparency(fields['background'], model, body);
  const size = chooseSize(fields, model, body, ignored);
  const quality = chooseQuality(fields['quality'], model, body, ignored);
  ignored.push(...neverCounts.filter((name) => fields[name] !== undefined));
  if (pictures !== undefined) addPictures(body, pictures);
  const kind = pictures === undefined ? 'image' : 'image_edit';
  const perGeneration = Math.max(1, outputsOf(model, kind));
  return {
    wanted: { kind, body, generations: Math.ceil(n / perGeneration) },
    outputs: n,
    asUrl: fields['response_format'] === 'url',
    stream: valueOf(fields['stream']) === true,
    size,
    quality,
    ignored,
    identity: {
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => !howItIsAnswered.has(name))),
      image: pictures?.images.map(({ identity }) => identity),
      images: undefined,
      mask: pictures?.mask?.identity,
      files: files.map(({ field, sha256 }) => [field, sha256]),
    },
  };
}

function countOf(value: unknown): number {
  const n = value === undefined || value === null ? 1 : valueOf(value);
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > maxOutputs)
    throw refusal(400, 'invalid_value', `n must be a whole number from 1 to ${maxOutputs}.`, 'n');
  return n;
}

/** A picture without the transparency that was asked for is worse than an error. */
function refuseTransparency(background: unknown, model: StudioModel, body: Record<string, unknown>): void {
  if (background !== 'transparent') return;
  const option = model.parameters.options.find(({ key }) => key === 'background');
  if (option?.values?.some(({ value }) => value === 'transparent') !== true)
    throw refusal(400, 'invalid_value', `The model ${model.id} has no transparent background.`, 'background');
  body['options'] = { ...(body['options'] as object | undefined), background: 'transparent' };
}

function chooseSize(
  fields: Record<string, unknown>,
  { parameters }: StudioModel,
  body: Record<string, unknown>,
  ignored: string[],
): string | undefined {
  const sizes = parameters.aspect_ratios;
  const wanted = readSize(fields['size']);
  if (wanted === undefined && fields['size'] !== undefined && fields['size'] !== 'auto') ignored.push('size');
  if (wanted !== undefined && body['aspect_ratio'] === undefined) {
    const nearest = nearestSize(sizes, wanted);
    if (nearest === undefined) ignored.push('size');
    else body['aspect_ratio'] = nearest.ratio;
  }
  const ratio = body['aspect_ratio'];
  const used =
    ratio === undefined
      ? body['image'] === undefined
        ? sizes[0]
        : undefined
      : sizes.find((one) => one.ratio === ratio);
  return used === undefined ? undefined : `${used.width}x${used.height}`;
}

/** `quality` is the model's option of that name, or its resolution, where that has the value. */
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

function addPictures(
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

function refusal(status: number, code: string, message: string, param: string): OpenAiRefusal {
  return new OpenAiRefusal(openAiError(status, code, message, param));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
