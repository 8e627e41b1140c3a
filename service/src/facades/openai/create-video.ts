import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import { maxImageBytes, maxVideoBytes } from '@renderkit/contract/v1/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { indexOf } from '../../catalog/catalog-index.ts';
import { showGeneration } from '../../generations/reads/list-console-rows.ts';
import { checkedId } from '../../generations/reads/read-generation.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { FacadeExchange, type Presentation } from '../facade-exchange.ts';
import { jsonForm } from '../kept-alive-answer.ts';
import type { FacadeRequest } from '../read-request.ts';
import { imageToCome, takeImage, type TakenImage } from '../take-image.ts';
import { errorOfGeneration, errorOfProblem, openAiRefusal } from './errors.ts';
import { addressOf } from './images.ts';
import { presentVideo } from './present-video.ts';
import { readVideoRequest, type VideoSource } from './video-request.ts';
import { showVideo, type VideosOptions } from './videos.ts';

const bodyBytes = 32 * 1024 * 1024;

/**
 * The creates of OpenAI's video API. They are answered as soon as they are accepted: clients ask later for the result.
 */
export function createVideoCreates(options: VideosOptions) {
  return (route: VideoSource['route']) =>
    async (request: FastifyRequest<{ Params: { id?: string } }>, reply: FastifyReply): Promise<void> => {
      const accountId = (request.admitted as Admitted).principal.account.id;
      const { catalog } = await translated(options.catalogCache.get(accountId));
      const index = indexOf(catalog);
      const read = await options.readRequest(request, reply, accountId, {
        limitBytes: bodyBytes,
        fileFields: ['input_reference', 'video'],
        maxFileBytes: (field) => (field === 'video' ? maxVideoBytes : maxImageBytes),
        isMaskOfAlpha: () => false,
        refuseBeforeFile: (field, fields) => {
          if (route === 'videos.extensions') {
            if (field === 'video') throw onlyMadeHere();
            // Without a model nothing can be checked yet: the model may come after the file.
          } else if (fields['model'] !== undefined) readVideoRequest(index, fields, sourceToCome(route));
        },
      });
      const source = await takeSource(options, accountId, { route, read, id: request.params.id });
      const asked = readVideoRequest(index, read.fields, source);
      // Not awaited, so that this function does not keep the request's body in memory while the answer is held.
      return new FacadeExchange(options, { request, reply }, asked, presentCreated(options, accountId)).run();
    };
}

function presentCreated({ database }: VideosOptions, accountId: string): Presentation {
  return {
    form: jsonForm,
    problem: errorOfProblem,
    failure: errorOfGeneration,
    outputs: () => Promise.reject(new Error('a video is not waited for')),
    accepted: async (answer, [generation]) => {
      const detail = await showGeneration(database, { id: generation?.id ?? '', accountId });
      return answer.send(JSON.stringify(presentVideo(detail, null)));
    },
  };
}

async function takeSource(
  options: VideosOptions,
  accountId: string,
  { route, read, id }: { route: VideoSource['route']; read: FacadeRequest; id: string | undefined },
): Promise<VideoSource> {
  const { media, storeFile } = options;
  const fileOf = (name: string): TakenImage | undefined => {
    const file = read.files.find(({ field }) => field === name);
    return file && { reference: file.uploadId, identity: file.sha256 };
  };
  if (route === 'videos') {
    const given = read.fields['input_reference'];
    const field = 'input_reference';
    const start =
      fileOf(field) ??
      (given === undefined ? undefined : takeImage(addressOf(given), { accountId, media, storeFile, field }));
    return { route, start };
  }
  const named = id ?? idOf(read.fields['video']);
  const file = fileOf('video');
  if (file !== undefined) {
    if (route === 'videos.extensions') throw onlyMadeHere();
    return { route, video: file, remixed: undefined };
  }
  if (named === undefined)
    throw openAiRefusal(400, 'missing_required_parameter', 'video is required.', 'video');
  const output = await outputOf(options, accountId, named);
  const video = { reference: output, identity: output };
  return route === 'videos.extensions' ? { route, video } : { route, video, remixed: named };
}

const sourceToCome = (route: Exclude<VideoSource['route'], 'videos.extensions'>): VideoSource =>
  route === 'videos' ? { route, start: imageToCome } : { route, video: imageToCome, remixed: undefined };

const onlyMadeHere = () =>
  openAiRefusal(400, 'unsupported', 'Only a video that was made here goes on: name its id.', 'video');

/** Returns the id of a video, which is an object with the id, or the id alone. */
function idOf(video: unknown): string | undefined {
  const id = typeof video === 'object' && video !== null ? (video as { id?: unknown }).id : video;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns the id of a video's library item. @throws OpenAiRefusal where the video is not finished */
async function outputOf({ database }: VideosOptions, accountId: string, id: string): Promise<string> {
  const { row } = await showVideo(database, { id: checkedId(id), accountId });
  const [output] = JSON.parse(row.outputs) as Output[];
  if (output === undefined)
    throw openAiRefusal(400, 'invalid_value', `The video ${id} has no file: it is ${row.status}.`, 'video');
  return output.id;
}
