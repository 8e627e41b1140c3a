import type { Generation, Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Preview } from '@renderkit/contract/v1/schemas/progress.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogCache } from '../../catalog/catalog-cache.ts';
import { indexOf } from '../../catalog/catalog-index.ts';
import type { OnLiveEvent } from '../../generations/live/live-generations.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { type ExchangeOptions, FacadeExchange, type Presentation } from '../facade-exchange.ts';
import type { FieldsOf, imageFields } from '../field-tables.ts';
import { eventsForm, type HeldAnswer, jsonForm } from '../kept-alive-answer.ts';
import { formatOf, type OutputMedia } from '../output-media.ts';
import type { createReadRequest, FacadeRequest, StoreFile } from '../read-request.ts';
import { imageToCome, takeImage, type TakenImage } from '../take-image.ts';
import { errorOfGeneration, errorOfProblem, openAiError, OpenAiRefusal } from './errors.ts';
import { type ImageRequest, readImageRequest } from './image-request.ts';

export type ImagesOptions = ExchangeOptions & {
  catalogCache: CatalogCache;
  media: OutputMedia;
  readRequest: ReturnType<typeof createReadRequest>;
  storeFile: StoreFile;
};

const bodyBytes = { generations: 256 * 1024, edits: 32 * 1024 * 1024 };
const maxImages = 16;

/** `POST /images/generations` and `POST /images/edits` of OpenAI's API: makes creates and waits for their outputs. */
export function createImages(options: ImagesOptions) {
  return (route: 'generations' | 'edits') =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const accountId = (request.admitted as Admitted).principal.account.id;
      const { catalog } = await translated(options.catalogCache.get(accountId));
      const index = indexOf(catalog);
      const read = await options.readRequest(request, reply, accountId, {
        limitBytes: bodyBytes[route],
        fileFields: ['image', 'mask'],
        isMaskOfAlpha: (field) => field === 'mask',
        refuseBeforeFile: (_field, fields) => {
          // Without a model nothing can be checked yet: the model may come after the file.
          if (fields['model'] !== undefined)
            readImageRequest(index, { fields, files: [] }, { images: [imageToCome], mask: undefined });
        },
      });
      const pictures = route === 'edits' ? takeImages(options, accountId, read) : undefined;
      const asked = readImageRequest(index, read, pictures);
      const presentation = presentImages(options.media, asked);
      // Not awaited, so that this function does not keep the request's body in memory while the answer is held.
      return new FacadeExchange(options, { request, reply }, asked, presentation).run();
    };
}

function takeImages(
  { media, storeFile }: ImagesOptions,
  accountId: string,
  { fields: given, files }: FacadeRequest,
): { images: TakenImage[]; mask: TakenImage | undefined } {
  const ofFiles = (name: string) =>
    files.flatMap(({ field, uploadId, sha256 }) =>
      field === name ? [{ reference: uploadId, identity: sha256 }] : [],
    );
  const fields: FieldsOf<typeof imageFields> = given;
  const asked = fields.images ?? fields.image;
  const list: unknown[] = asked === undefined ? [] : Array.isArray(asked) ? asked : [asked];
  if (list.length + files.length > maxImages + 1)
    throw new OpenAiRefusal(
      openAiError(400, 'invalid_value', `At most ${maxImages} images are taken.`, 'image'),
    );
  const taking = { accountId, media, storeFile };
  const named = list.map((value) => takeImage(addressOf(value), { ...taking, field: 'image' }));
  const images = [...ofFiles('image'), ...named];
  if (images.length === 0)
    throw new OpenAiRefusal(openAiError(400, 'missing_required_parameter', 'image is required.', 'image'));
  const mask =
    ofFiles('mask')[0] ??
    (fields.mask === undefined
      ? undefined
      : takeImage(addressOf(fields.mask), { ...taking, field: 'mask', maskOfAlpha: true }));
  return { images, mask };
}

/** Returns the address of a picture, which JSON names as text, or as an object with an address or the id of a file. */
export function addressOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { image_url: url, file_id: id } = value as { image_url?: unknown; file_id?: unknown };
  return typeof url === 'object' && url !== null ? (url as { url?: unknown }).url : (url ?? id);
}

/** Answers with pictures as links, as base64, or as events, which show the progress by previews. */
function presentImages(media: OutputMedia, asked: ImageRequest): Presentation {
  const events = asked.wanted.kind === 'image' ? 'image_generation' : 'image_edit';
  const form = asked.stream
    ? eventsForm((body) => `event: error\ndata: ${JSON.stringify(body)}\n\n`)
    : jsonForm;
  return {
    form,
    problem: errorOfProblem,
    failure: errorOfGeneration,
    ...(asked.stream && asked.partialImages > 0
      ? {
          live: (answer, generation) =>
            sendPartials(answer, asked, { events, created: createdAt([generation]) }),
        }
      : {}),
    outputs: (answer, ends, outputs) => {
      const created = createdAt(ends);
      if (asked.stream) return answer.send(eventsOf(media, asked, { events, created, outputs }));
      if (!asked.asUrl) return answer.send(jsonWithBytes(media, asked, { created, outputs }));
      const data = outputs.map(({ url }) => ({ url: media.urlOf(url) }));
      return answer.send(JSON.stringify({ created, data, ...described(asked, outputs[0]) }));
    },
  };
}

/**
 * Sends at most the requested number of previews. If the engine makes no previews, there are none, which the API
 * allows.
 */
function sendPartials(
  answer: HeldAnswer,
  asked: ImageRequest,
  { events, created }: { events: string; created: number },
): OnLiveEvent {
  let sent = 0;
  return (event, text) => {
    if (event !== 'preview' || sent === asked.partialImages) return;
    const { url } = JSON.parse(text) as Preview;
    const bytes = /^data:image\/jpeg;base64,(.*)$/s.exec(url)?.[1];
    if (bytes === undefined) return;
    const type = `${events}.partial_image`;
    const data = {
      type,
      b64_json: bytes,
      partial_image_index: sent,
      created_at: created,
      size: asked.size ?? 'auto',
      quality: asked.quality,
      background: 'opaque',
      output_format: 'jpeg',
    };
    sent += 1;
    answer.sendAhead(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  };
}

/** Writes while it reads, so that only one chunk of a picture is in memory. */
async function* jsonWithBytes(
  media: OutputMedia,
  asked: ImageRequest,
  { created, outputs }: { created: number; outputs: readonly Output[] },
): AsyncGenerator<string, void> {
  yield `{"created":${created},"data":[`;
  for (const [place, { url }] of outputs.entries()) {
    yield `${place === 0 ? '' : ','}{"b64_json":"`;
    yield* media.base64(url);
    yield '"}';
  }
  yield `],${JSON.stringify(described(asked, outputs[0])).slice(1)}`;
}

async function* eventsOf(
  media: OutputMedia,
  asked: ImageRequest,
  { events, created, outputs }: { events: string; created: number; outputs: readonly Output[] },
): AsyncGenerator<string, void> {
  const type = `${events}.completed`;
  for (const output of outputs) {
    yield `event: ${type}\ndata: {"type":"${type}","b64_json":"`;
    yield* media.base64(output.url);
    yield `",${JSON.stringify({ created_at: created, ...described(asked, output) }).slice(1)}\n\n`;
  }
}

/** Seconds since 1970. */
export function createdAt([first]: readonly Generation[]): number {
  return Math.floor(Date.parse(first?.created_at ?? '') / 1_000);
}

function described(asked: ImageRequest, first: Output | undefined): object {
  return {
    background: 'opaque',
    output_format: formatOf(first?.url ?? ''),
    quality: asked.quality,
    size: sizeOf(first) ?? asked.size ?? 'auto',
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
      input_tokens_details: { text_tokens: 0, image_tokens: 0 },
    },
  };
}

function sizeOf(output: Output | undefined): string | undefined {
  return output?.width == null || output.height === null ? undefined : `${output.width}x${output.height}`;
}
