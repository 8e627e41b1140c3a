import { durationsOf } from '@renderkit/contract/studio/offers.ts';
import type { Suite } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type CatalogIndex, isIncluded } from '../../catalog/catalog-index.ts';
import { chooseModel, describeOtherSuite } from '../choose-model.ts';
import { nearestSize, readSize } from '../choose-size.ts';
import type { Asked } from '../facade-exchange.ts';
import { type FieldsOf, namesOf, passedVideoFields, type videoFields } from '../field-tables.ts';
import { mapOwnFields, valueOf } from '../own-fields.ts';
import type { TakenImage } from '../take-image.ts';
import { openAiRefusal } from './errors.ts';
import { promptOf, sentence } from './image-request.ts';

/** What a video is made from in addition to the prompt. */
export type VideoSource =
  | { route: 'videos'; start: TakenImage | undefined }
  /** A video to change. `remixed` is the generation that made it, if the client named the video by its generation. */
  | { route: 'videos.edits' | 'videos.remix'; video: TakenImage; remixed: string | undefined }
  | { route: 'videos.extensions'; video: TakenImage };

/** A request for a video after it was mapped. */
export type VideoRequest = Asked & { model: StudioModel };

/** The metadata key with the video that another was made from. */
export const remixedKey = 'remixed_from_video_id';

/**
 * Maps a request of OpenAI's video endpoints. If the model does not have an exact value, the nearest one is used, and
 * the answer reports it.
 * @throws OpenAiRefusal
 */
export function readVideoRequest(
  index: CatalogIndex,
  given: Record<string, unknown>,
  source: VideoSource,
): VideoRequest {
  const fields: FieldsOf<typeof videoFields> = given;
  const { model, named } = videoModel(index, fields.model, source);
  const { body, ignored } = mapOwnFields(fields, model);
  for (const name of namesOf(passedVideoFields))
    if (fields[name] !== undefined) body[name] = valueOf(fields[name]);
  if (named) body['model'] = model.id;
  const prompt = promptOf(fields.prompt, 'prompt');
  if (prompt !== undefined) body['prompt'] = prompt;
  chooseDuration(fields, model, body, ignored);
  const extends_ = source.route === 'videos.extensions';
  if (extends_) {
    if (fields.size !== undefined) ignored.push('size');
  } else chooseRatio(fields, model, body, ignored);
  addSource(body, model, source);
  return {
    route: `openai.${source.route}`,
    wanted: { kind: extends_ ? 'video_extend' : 'video', body, generations: 1 },
    outputs: 1,
    size: undefined,
    model,
    ignored,
    identity: {
      ...given,
      input_reference: source.route === 'videos' ? source.start?.identity : undefined,
      video: source.route === 'videos' ? undefined : source.video.identity,
    },
    pictures: source.route === 'videos' && source.start !== undefined ? [source.start] : [],
  };
}

/**
 * Returns the named model or the default. For a video that is to be changed, the default is the first model of the plan
 * that can change one.
 */
function videoModel(
  index: CatalogIndex,
  name: unknown,
  source: VideoSource,
): { model: StudioModel; named: boolean } {
  const suite: Suite = source.route === 'videos.extensions' ? 'extend' : 'video';
  const chosen = chooseModel(index, suite, name);
  if ('unknown' in chosen) throw openAiRefusal(404, 'model_not_found', sentence(chosen.unknown), 'model');
  const { model, named } = chosen;
  if (!model.suites.includes(suite))
    throw openAiRefusal(400, 'invalid_value', sentence(describeOtherSuite(model, index, suite)), 'model');
  const changes = source.route === 'videos.edits' || source.route === 'videos.remix';
  if (!changes || model.parameters.source_video !== null) return chosen;
  const other = named
    ? undefined
    : [...index.models.values()].find(
        ({ suites, parameters, tiers }) =>
          suites.includes('video') && parameters.source_video !== null && isIncluded({ tiers }, index.plan),
      );
  if (other !== undefined) return { model: other, named: true };
  throw openAiRefusal(
    400,
    'unsupported',
    named ? `The model ${model.id} changes no videos.` : 'No model of your plan changes videos.',
    'model',
  );
}

/** Sets the duration: the service's own `duration` if given, otherwise the offered length nearest to `seconds`. */
function chooseDuration(
  fields: FieldsOf<typeof videoFields>,
  { parameters }: StudioModel,
  body: Record<string, unknown>,
  ignored: string[],
): void {
  if (fields.duration !== undefined) {
    body['duration'] = valueOf(fields.duration);
    return;
  }
  if (fields.seconds === undefined) return;
  const wanted = Number(fields.seconds);
  if (!Number.isFinite(wanted) || wanted <= 0)
    throw openAiRefusal(400, 'invalid_value', 'seconds must be a number of seconds.', 'seconds');
  const [nearest] = durationsOf(parameters).toSorted(
    (a, b) => Math.abs(a.seconds - wanted) - Math.abs(b.seconds - wanted),
  );
  if (nearest === undefined) ignored.push('seconds');
  else body['duration'] = nearest.value;
}

function chooseRatio(
  fields: FieldsOf<typeof videoFields>,
  { parameters }: StudioModel,
  body: Record<string, unknown>,
  ignored: string[],
): void {
  const { size } = fields;
  if (size === undefined || size === 'auto' || body['aspect_ratio'] !== undefined) return;
  const wanted = readSize(size);
  const offered = parameters.video_aspect_ratios.flatMap((ratio) => {
    const [width = 0, height = 0] = ratio.split(':').map(Number);
    return width > 0 && height > 0 ? [{ ratio, width, height }] : [];
  });
  const nearest = wanted && nearestSize(offered, wanted);
  if (nearest === undefined) ignored.push('size');
  else body['aspect_ratio'] = nearest.ratio;
}

function addSource(
  body: Record<string, unknown>,
  { parameters: { frames, max_reference_images: references } }: StudioModel,
  source: VideoSource,
): void {
  if (source.route === 'videos.extensions') body['video_id'] = source.video.reference;
  else if (source.route !== 'videos') {
    body['source_video'] = source.video.reference;
    if (source.remixed !== undefined)
      body['metadata'] = { ...(body['metadata'] as object | undefined), [remixedKey]: source.remixed };
  } else if (source.start !== undefined) {
    // A model without a start picture may use it as a reference.
    if (!frames.start && references > 0) body['reference_images'] = [source.start.reference];
    else body['start_image'] = source.start.reference;
  }
}
