import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogCache } from '../../catalog/catalog-cache.ts';
import { indexOf } from '../../catalog/catalog-index.ts';
import { readSeeds } from '../../generations/reads/list-console-rows.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { type ExchangeOptions, FacadeExchange, type Presentation } from '../facade-exchange.ts';
import type { a1111Fields, FieldsOf } from '../field-tables.ts';
import { jsonForm } from '../kept-alive-answer.ts';
import type { OutputMedia } from '../output-media.ts';
import type { createReadRequest, StoreFile } from '../read-request.ts';
import { readChosenModel } from '../store.ts';
import { takeImage } from '../take-image.ts';
import { errorOfGeneration, errorOfProblem } from './errors.ts';
import { type A1111Request, readA1111Request, type Sources } from './image-request.ts';

export type ImagesOptions = ExchangeOptions & {
  database: Database;
  catalogCache: CatalogCache;
  media: OutputMedia;
  readRequest: ReturnType<typeof createReadRequest>;
  storeFile: StoreFile;
};

const bodyBytes = 32 * 1024 * 1024;
const maxImages = 16;
/** The seed that programs expect for a picture whose engine takes no seed. */
const unknownSeed = -1;

/** `POST /txt2img` and `POST /img2img`: makes creates and waits for their outputs. */
export function createImages(options: ImagesOptions) {
  return (route: 'txt2img' | 'img2img') =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { account, key } = (request.admitted as Admitted).principal;
      const { fields } = await options.readRequest(request, reply, account.id, {
        limitBytes: bodyBytes,
        fileFields: [],
        isMaskOfAlpha: () => false,
      });
      const chosenModel = await readChosenModel(options.database, key.id);
      const { catalog } = await translated(options.catalogCache.get(account.id));
      const asked = readA1111Request(indexOf(catalog), fields, {
        chosenModel,
        ...(route === 'img2img' ? { sources: takeSources(options, account.id, fields) } : {}),
      });
      // Not awaited, so that this function does not keep the request's body in memory while the answer is held.
      return new FacadeExchange(
        options,
        { request, reply },
        asked,
        presentImages(options, account.id, asked),
      ).run();
    };
}

function takeSources(
  { media, storeFile }: ImagesOptions,
  accountId: string,
  { init_images: given, mask }: FieldsOf<typeof a1111Fields>,
): Sources {
  const list: unknown[] = Array.isArray(given) ? given : [];
  if (list.length > maxImages)
    throw new ApiProblem('invalid_request', {
      errors: [{ field: 'init_images', message: `must not hold more than ${maxImages} pictures` }],
    });
  const taking = { accountId, media, storeFile };
  return {
    images: list.map((value) => takeImage(value, { ...taking, field: 'init_images' })),
    mask: mask === undefined || mask === '' ? undefined : takeImage(mask, { ...taking, field: 'mask' }),
  };
}

function presentImages(
  { database, media }: ImagesOptions,
  accountId: string,
  asked: A1111Request,
): Presentation {
  return {
    form: jsonForm,
    problem: errorOfProblem,
    failure: errorOfGeneration,
    outputs: async (answer, ends, outputs) => {
      const drawn = await readSeeds(
        database,
        accountId,
        ends.map(({ id }) => id),
      );
      const seeds = outputs.map(({ id }) => drawn.get(id) ?? unknownSeed);
      return answer.send(imagesOf(media, asked, outputs, seeds));
    },
  };
}

/** Writes while it reads, so that only one chunk of a picture is in memory. */
async function* imagesOf(
  media: OutputMedia,
  asked: A1111Request,
  outputs: readonly Output[],
  seeds: readonly number[],
): AsyncGenerator<string, void> {
  yield '{"images":[';
  for (const [place, { url }] of outputs.entries()) {
    yield place === 0 ? '"' : ',"';
    yield* media.base64(url);
    yield '"';
  }
  const [width, height] = [outputs[0]?.width ?? 0, outputs[0]?.height ?? 0];
  const { prompt, sent, taken, model } = asked;
  // Some programs read the last line, so it must be present.
  const textOf = (seed: number) =>
    `${prompt}\nNegative prompt: ${taken.negativePrompt}\n` +
    `Steps: ${taken.steps}, Seed: ${seed}, Size: ${width}x${height}, Model: ${model.id}`;
  const reported = ({ negativePrompt, steps }: A1111Request['taken'], seed: number) => ({
    prompt,
    negative_prompt: negativePrompt,
    seed,
    steps,
    width,
    height,
  });
  const parameters = reported(sent, sent.seed);
  const info = {
    ...reported(taken, seeds[0] ?? unknownSeed),
    all_prompts: outputs.map(() => prompt),
    all_seeds: seeds,
    sd_model_name: model.id,
    infotexts: seeds.map(textOf),
  };
  yield `],"parameters":${JSON.stringify(parameters)},"info":${JSON.stringify(JSON.stringify(info))}}`;
}
