import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cancelGeneration, type CancelDependencies } from '../../generations/cancel/cancel-generation.ts';
import type { LiveGenerations } from '../../generations/live/live-generations.ts';
import type { LongPolls } from '../../generations/live/long-polls.ts';
import { listVideos, showGeneration } from '../../generations/reads/list-console-rows.ts';
import type { StoredDetail } from '../../generations/reads/rows.ts';
import { checkedId, noSuchGeneration } from '../../generations/reads/read-generation.ts';
import { isFinal } from '../../generations/settle/status.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import type { Principal } from '../../identity/admission/principal.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { openAiRefusal } from './errors.ts';
import type { ImagesOptions } from './images.ts';
import { presentVideo } from './present-video.ts';

export type VideosOptions = Omit<ImagesOptions, 'live'> & {
  database: Database;
  live: Pick<LiveGenerations, 'follow' | 'progress'>;
  longPolls: Pick<LongPolls, 'wait'>;
  canceling: CancelDependencies;
  studioClient: Pick<StudioClient, 'call'>;
};

/** Seconds for which an answer without news is held, because clients poll. */
const heldSeconds = 5;
/** Milliseconds after which clients should poll again. This is short, because their next request is held. */
const pollAfterMs = 1_000;
const maxListed = 100;

type Named = FastifyRequest<{ Params: { id: string } }>;

/** Serves created videos: their progress, their files and their deletion. */
export function createVideoReads(options: VideosOptions) {
  return {
    show: (request: Named, reply: FastifyReply) => pollVideo(options, request, reply),
    list: (request: ListRequest, reply: FastifyReply) => listPage(options, request, reply),
    content: (request: ContentRequest, reply: FastifyReply) => sendFile(options, request, reply),
    remove: (request: Named, reply: FastifyReply) => deleteVideo(options, request, reply),
  };
}

/** Answers with the progress of a video. Holds the answer for a while if nothing is new. */
async function pollVideo(
  { database, longPolls, live, studioClient }: VideosOptions,
  request: Named,
  reply: FastifyReply,
): Promise<unknown> {
  const { principal } = request.admitted as Admitted;
  const asked = { id: checkedId(request.params.id), accountId: principal.account.id };
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  await showVideo(database, asked);
  await longPolls.wait({
    ...asked,
    keyId: principal.key.id,
    seconds: heldSeconds,
    gone: () => gone.signal,
  });
  const video = await showVideo(database, asked);
  if (!(await hasFile(studioClient, principal, [video])).has(video.row.id)) throw noSuchGeneration();
  const isOver = isFinal(video.row.status);
  if (!isOver) reply.header('openai-poll-after-ms', String(pollAfterMs));
  const progress = isOver
    ? undefined
    : await live.progress({ ...asked, studioAccountId: principal.account.studioAccountId });
  return reply.send(presentVideo(video, progress?.fraction ?? null));
}

type ListRequest = FastifyRequest<{ Querystring: { after?: string; limit?: string; order?: string } }>;

async function listPage(
  { database, studioClient }: VideosOptions,
  request: ListRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { principal } = request.admitted as Admitted;
  const { after, order = 'desc' } = request.query;
  const accountId = principal.account.id;
  const limit = limitOf(request.query.limit);
  if (order !== 'asc' && order !== 'desc')
    throw openAiRefusal(400, 'invalid_value', 'order must be asc or desc.', 'order');
  const last =
    after === undefined ? undefined : await showVideo(database, { id: checkedId(after), accountId });
  // Deleted files leave gaps: reads on until a page and one more item are found, or no item is left.
  const present: StoredDetail[] = [];
  let position = last?.row;
  for (let readAtOnce = limit + 1; present.length <= limit; readAtOnce = maxListed) {
    const found = await listVideos(database, {
      accountId,
      after: position,
      isOldestFirst: order === 'asc',
      limit: readAtOnce,
    });
    const there = await hasFile(studioClient, principal, found);
    present.push(...found.filter(({ row }) => there.has(row.id)));
    if (found.length < readAtOnce) break;
    position = found.at(-1)?.row;
  }
  const page = present.slice(0, limit);
  return reply.send({
    object: 'list',
    data: page.map((video) => presentVideo(video, null)),
    first_id: page[0]?.row.id ?? null,
    last_id: page.at(-1)?.row.id ?? null,
    has_more: present.length > limit,
  });
}

type ContentRequest = FastifyRequest<{ Params: { id: string }; Querystring: { variant?: string } }>;

async function sendFile(
  { database, media }: VideosOptions,
  request: ContentRequest,
  reply: FastifyReply,
): Promise<void> {
  const { principal } = request.admitted as Admitted;
  const { variant = 'video' } = request.query;
  const asked = { id: checkedId(request.params.id), accountId: principal.account.id };
  const { row } = await showVideo(database, asked);
  const [output] = JSON.parse(row.outputs) as Output[];
  if (output === undefined)
    throw openAiRefusal(404, 'not_found', `The video ${row.id} has no file: it is ${row.status}.`, null);
  const url = variant === 'video' ? output.url : variant === 'thumbnail' ? output.thumb_url : null;
  if (url === null)
    throw openAiRefusal(404, 'not_found', `There is no ${variant} of the video ${row.id}.`, 'variant');
  await media.pass(url, request, reply);
}

/**
 * Deletes a video: cancels a waiting one, and removes the file of a finished one from the library. A running video
 * cannot be deleted.
 */
async function deleteVideo(
  { database, studioClient, canceling }: VideosOptions,
  request: Named,
  reply: FastifyReply,
): Promise<unknown> {
  const { principal } = request.admitted as Admitted;
  const asked = { id: checkedId(request.params.id), accountId: principal.account.id };
  const video = await showVideo(database, asked);
  if (!isFinal(video.row.status)) await cancelGeneration(canceling, asked);
  for (const { id } of JSON.parse(video.row.outputs) as Output[])
    await translated(
      studioClient
        .call('deleteAsset', { accountId: asked.accountId, params: { type: 'video', id } })
        .catch((error: unknown) => {
          // The file was already deleted.
          if (!(error instanceof StudioFailure && error.studioCode === 'not_found')) throw error;
        }),
    );
  return reply.send({ id: asked.id, object: 'video.deleted', deleted: true });
}

/**
 * Returns a video.
 * @throws ApiProblem `not_found`, the same for pictures, for another account's video and for a missing one
 */
export async function showVideo(
  database: Database,
  asked: { id: string; accountId: string },
): Promise<StoredDetail> {
  const found = await showGeneration(database, asked);
  if (found.row.kind !== 'video' && found.row.kind !== 'video_extend') throw noSuchGeneration();
  return found;
}

/** Returns the ids of videos whose files were not deleted from the library, including videos that have no file yet. */
async function hasFile(
  studioClient: Pick<StudioClient, 'call'>,
  { account }: Principal,
  videos: readonly StoredDetail[],
): Promise<Set<string>> {
  const fileOf = ({ row }: StoredDetail) => (JSON.parse(row.outputs) as Output[])[0]?.id;
  const ids = videos.flatMap((video) => fileOf(video) ?? []);
  const { assets } =
    ids.length === 0
      ? { assets: [] }
      : await translated(studioClient.call('lookUpAssets', { accountId: account.id, body: { ids } }));
  const there = new Set(assets.map(({ id }) => id));
  return new Set(
    videos.flatMap((video) => {
      const file = fileOf(video);
      return file === undefined || there.has(file) ? [video.row.id] : [];
    }),
  );
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? 20 : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
    throw openAiRefusal(
      400,
      'invalid_value',
      `limit must be a whole number from 1 to ${maxListed}.`,
      'limit',
    );
  return limit;
}
