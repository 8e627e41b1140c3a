import type { Generation, Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogCache } from '../../catalog/catalog-cache.ts';
import { indexOf } from '../../catalog/catalog-index.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { translated } from '../../studio-client/translate-error.ts';
import type { FacadeCall, FacadeCalls } from '../facade-calls.ts';
import { HeldAnswer, type Heartbeat } from '../held-answer.ts';
import type { OutputMaker, Wanted } from '../make-outputs.ts';
import type { OutputMedia } from '../output-media.ts';
import type { createReadRequest, FacadeRequest, StoreFile } from '../read-request.ts';
import { takeImage, type TakenImage } from '../take-image.ts';
import { errorOfGeneration, errorOfProblem, openAiError, type OpenAiError } from './errors.ts';
import { OpenAiRefusal, readImageRequest, type ImageRequest } from './image-request.ts';

export type ImagesOptions = {
  catalogCache: CatalogCache;
  calls: FacadeCalls;
  maker: OutputMaker;
  media: OutputMedia;
  readRequest: ReturnType<typeof createReadRequest>;
  storeFile: StoreFile;
  heartbeat: Heartbeat;
};

const bodyBytes = { generations: 256 * 1024, edits: 32 * 1024 * 1024 };
const maxImages = 16;

/** `POST /images/generations` and `POST /images/edits` of OpenAI's API: creates of ours, waited for. */
export function createImages(options: ImagesOptions) {
  return (route: 'generations' | 'edits') =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { principal } = request.admitted as Admitted;
      const accountId = principal.account.id;
      const read = await options.readRequest(request, reply, accountId, {
        limitBytes: bodyBytes[route],
        fileFields: ['image', 'mask'],
        isMaskOfAlpha: (field) => field === 'mask',
      });
      const pictures = route === 'edits' ? await takePictures(options, accountId, read) : undefined;
      const { catalog } = await translated(options.catalogCache.get(accountId));
      const asked = readImageRequest(indexOf(catalog), read, pictures);
      options.maker.check(asked.wanted);
      await new ImageExchange(options, request, reply, asked).run(route);
    };
}

async function takePictures(
  { media, storeFile }: ImagesOptions,
  accountId: string,
  { fields, files }: FacadeRequest,
): Promise<{ images: TakenImage[]; mask: TakenImage | undefined }> {
  const ofFiles = (name: string) =>
    files.flatMap(({ field, uploadId, sha256 }) =>
      field === name ? [{ reference: uploadId, identity: sha256 }] : [],
    );
  const given = fields['images'] ?? fields['image'];
  const list = given === undefined ? [] : Array.isArray(given) ? given : [given];
  if (list.length + files.length > maxImages + 1)
    throw new OpenAiRefusal(
      openAiError(400, 'invalid_value', `At most ${maxImages} images are taken.`, 'image'),
    );
  const taking = { accountId, media, storeFile };
  const named: TakenImage[] = [];
  for (const value of list) named.push(await takeImage(addressOf(value), { ...taking, field: 'image' }));
  const images = [...ofFiles('image'), ...named];
  if (images.length === 0)
    throw new OpenAiRefusal(openAiError(400, 'missing_required_parameter', 'image is required.', 'image'));
  const mask =
    ofFiles('mask')[0] ??
    (fields['mask'] === undefined
      ? undefined
      : await takeImage(addressOf(fields['mask']), { ...taking, field: 'mask', maskOfAlpha: true }));
  return { images, mask };
}

/** JSON names a picture as text, or as an object with an address or the id of a file. */
function addressOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { image_url: url, file_id: id } = value as { image_url?: unknown; file_id?: unknown };
  return typeof url === 'object' && url !== null ? (url as { url?: unknown }).url : (url ?? id);
}

/** One request and its answer, from accepting its creates to the last byte of its pictures. */
class ImageExchange {
  readonly #options: ImagesOptions;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #asked: ImageRequest;
  #generations: Generation[] = [];
  #adopted = false;

  constructor(options: ImagesOptions, request: FastifyRequest, reply: FastifyReply, asked: ImageRequest) {
    this.#options = options;
    this.#request = request;
    this.#reply = reply;
    this.#asked = asked;
  }

  async run(route: string): Promise<void> {
    const { calls, maker, heartbeat } = this.#options;
    const { principal } = this.#admitted;
    const key = this.#request.headers['idempotency-key'];
    // A client that brings a key of its own says itself which requests are the same.
    const call =
      typeof key === 'string'
        ? undefined
        : await calls.take<Wanted>({
            accountId: principal.account.id,
            route: `openai.images.${route}`,
            identity: this.#asked.identity,
            request: this.#asked.wanted,
            repeats: Number(this.#request.headers['x-stainless-retry-count'] ?? 0) >= 1,
          });
    this.#adopted = call?.adopted ?? false;
    try {
      const { generations } = await maker.accept(principal, call?.request ?? this.#asked.wanted, (place) =>
        call === undefined ? `${key as string}#${place}` : `${call.id}#${place}`,
      );
      this.#generations = generations;
    } catch (error) {
      await call?.forgotten();
      throw error;
    }
    this.#reply.hijack();
    const answer = new HeldAnswer(
      this.#reply.raw,
      this.#asked.stream ? { ...heartbeat, afterMs: 0 } : heartbeat,
      () => this.#headers(),
    );
    await this.#finish(answer, call);
  }

  async #finish(answer: HeldAnswer, call: FacadeCall<Wanted> | undefined): Promise<void> {
    const { maker } = this.#options;
    const { principal } = this.#admitted;
    const ids = this.#generations.map(({ id }) => id);
    let taken = false;
    let error: OpenAiError | undefined;
    try {
      const ends = await maker.wait(principal, ids, answer.gone);
      this.#generations = ends;
      const outputs = ends.flatMap((one) => one.outputs).slice(0, this.#asked.outputs);
      const [first] = ends;
      if (outputs.length === 0 && first !== undefined) error = errorOfGeneration(first);
      else taken = await this.#sendOutputs(answer, outputs);
    } catch (failure) {
      error = errorOfProblem(
        failure instanceof ApiProblem
          ? failure
          : new ApiProblem('internal_error', { detail: 'The service failed.', cause: failure }),
      );
    }
    if (error !== undefined) taken = await this.#sendError(answer, error);
    if (call === undefined) return;
    if (!taken) await maker.abandon(principal, call, ids);
    else if (error === undefined) await call.delivered();
    else if (this.#generations.every(({ status }) => status === 'failed' || status === 'canceled'))
      await call.forgotten();
    // It goes on, or is there and could not be handed over: it waits for whoever asks again.
    else await call.lost();
  }

  async #sendOutputs(answer: HeldAnswer, outputs: readonly Output[]): Promise<boolean> {
    if (this.#asked.stream) {
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
      return answer.send(200, headers, this.#events(outputs));
    }
    const { media } = this.#options;
    if (this.#asked.asUrl) {
      const data = outputs.map(({ url }) => ({ url: media.urlOf(url) }));
      return answer.send(
        200,
        {},
        JSON.stringify({ created: this.#created(), data, ...this.#described(outputs) }),
      );
    }
    return answer.send(200, {}, this.#jsonWithBytes(outputs));
  }

  /** Written as it is read: of no picture more than a chunk is in memory. */
  async *#jsonWithBytes(outputs: readonly Output[]): AsyncGenerator<string, void> {
    yield `{"created":${this.#created()},"data":[`;
    for (const [place, { url }] of outputs.entries()) {
      yield `${place === 0 ? '' : ','}{"b64_json":"`;
      yield* this.#options.media.base64(url);
      yield '"}';
    }
    yield `],${JSON.stringify(this.#described(outputs)).slice(1)}`;
  }

  async *#events(outputs: readonly Output[]): AsyncGenerator<string, void> {
    const type = this.#asked.wanted.kind === 'image' ? 'image_generation.completed' : 'image_edit.completed';
    for (const output of outputs) {
      yield `event: ${type}\ndata: {"type":"${type}","b64_json":"`;
      yield* this.#options.media.base64(output.url);
      const rest = { created_at: this.#created(), ...this.#described([output]) };
      yield `",${JSON.stringify(rest).slice(1)}\n\n`;
    }
  }

  #sendError(answer: HeldAnswer, { status, headers, body }: OpenAiError): Promise<boolean> {
    return answer.send(status, headers, JSON.stringify(body));
  }

  #created(): number {
    return Math.floor(Date.parse(this.#generations[0]?.created_at ?? '') / 1_000);
  }

  #described(outputs: readonly Output[]): object {
    const [first] = outputs;
    const extension = /\.(\w+)$/.exec(URL.parse(first?.url ?? '')?.pathname ?? '')?.[1] ?? 'png';
    return {
      background: 'opaque',
      output_format: extension === 'jpg' ? 'jpeg' : extension,
      quality: this.#asked.quality,
      size: sizeOf(first) ?? this.#asked.size ?? 'auto',
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        total_tokens: 0,
        input_tokens_details: { text_tokens: 0, image_tokens: 0 },
      },
    };
  }

  #headers(): Record<string, string> {
    const { limit, number } = this.#admitted;
    const credits = this.#generations.reduce(
      (sum, { cost }) => sum + Math.round((cost.credits ?? 0) * 1_000),
      0,
    );
    const { ignored, size } = this.#asked;
    return {
      'x-request-id': this.#request.id,
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - number)),
      'x-renderkit-generation': this.#generations.map(({ id }) => id).join(','),
      'x-renderkit-credits': String(credits / 1_000),
      ...(ignored.length === 0 ? {} : { 'x-renderkit-ignored': ignored.join(',') }),
      ...(size === undefined ? {} : { 'x-renderkit-size': size }),
      ...(this.#adopted ? { 'x-renderkit-adopted': 'true' } : {}),
    };
  }

  get #admitted(): Admitted {
    return this.#request.admitted as Admitted;
  }
}

function sizeOf(output: Output | undefined): string | undefined {
  return output?.width == null || output.height === null ? undefined : `${output.width}x${output.height}`;
}
