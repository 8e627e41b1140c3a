import type { Handlers } from '../http/handler.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { asNotFound, translated } from '../studio-client/translate-error.ts';

/** Taking a frame takes longer than a look-up, so the studio gets a longer timeout. */
const frameTimeoutMs = 30_000;
/** The latest time that the studio accepts. Every later time also means the last frame. */
const maxSeconds = 1e6;

const noSuchVideo = asNotFound('There is no such video in the library.');

/**
 * Takes frames of videos in the library (docs/api.md §4). Frames are free, so no budget or balance is checked.
 * `studio/src/library/take-frame.ts` takes them; `store.ts` beside it says how long unsaved frames are kept.
 */
export function framesRoutes({
  studioClient,
}: {
  studioClient: StudioClient;
}): Pick<Handlers, 'createFrame'> {
  return {
    createFrame: async ({ principal, params, body }) => {
      const accountId = principal.account.id;
      if (body.project_id === '') throw noSuchProject();
      const call = studioClient.call('takeFrame', {
        accountId,
        params,
        timeoutMs: frameTimeoutMs,
        body: {
          time: body.time === 'last' ? 'last' : Math.min(body.time, maxSeconds),
          project_id: body.project_id ?? null,
        },
      });
      const frame = await translated(
        call.catch(async (error: unknown) => {
          // The studio does not report whether the video or the project is missing. A video, named in the path, is
          // checked first.
          if (body.project_id !== undefined && isNotFound(error)) {
            await studioClient
              .call('getAsset', { accountId, params: { type: 'video', id: params.id } })
              .catch(noSuchVideo);
            throw noSuchProject(error);
          }
          return noSuchVideo(error);
        }),
      );
      return { object: 'frame', url: frame.url };
    },
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof StudioFailure && error.studioCode === 'not_found';
}

function noSuchProject(cause?: unknown): ApiProblem {
  return new ApiProblem('invalid_request', {
    errors: [{ field: 'project_id', message: 'there is no such project' }],
    cause,
  });
}
