import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cancelGeneration, type CancelDependencies } from '../../generations/cancel/cancel-generation.ts';
import type { LiveGenerations } from '../../generations/live/live-generations.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import type { Principal } from '../../identity/admission/principal.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { readAwaited } from '../store.ts';

export type ProgressOptions = {
  database: Database;
  live: Pick<LiveGenerations, 'progress' | 'preview'>;
  canceling: CancelDependencies;
};

const state = { skipped: false, interrupted: false, job: '', job_no: 0 };

/**
 * `GET /progress`, `POST /interrupt` and `POST /skip`: about the generations that the key's own requests wait for, in
 * any process.
 */
export function createProgress({ database, live, canceling }: ProgressOptions) {
  const awaited = ({ account, key }: Principal) =>
    readAwaited(database, { accountId: account.id, keyId: key.id });
  return {
    /** Programs poll this many times while they wait, so these polls must not count towards the key's rate. */
    counts: async (principal: Principal) => (await awaited(principal)).length === 0,

    show: async (
      request: FastifyRequest<{ Querystring: { skip_current_image?: string } }>,
      reply: FastifyReply,
    ) => {
      const { principal } = request.admitted as Admitted;
      const ids = await awaited(principal);
      const [id] = ids;
      if (id === undefined)
        return reply.send({
          progress: 0,
          eta_relative: 0,
          state: { ...state, job_count: 0, sampling_step: 0, sampling_steps: 0 },
          current_image: null,
          textinfo: null,
        });
      const { account } = principal;
      const asked = { id, accountId: account.id, studioAccountId: account.studioAccountId };
      const progress = await live.progress(asked);
      const wantsImage = !/^(?:true|1)$/i.test(request.query.skip_current_image ?? '');
      const preview = wantsImage ? await live.preview(asked, 0) : undefined;
      return reply.send({
        progress: progress.fraction ?? 0,
        eta_relative: progress.finishes_in_seconds?.high ?? 0,
        state: {
          ...state,
          job_count: ids.length,
          sampling_step: progress.step ?? 0,
          sampling_steps: progress.steps ?? 0,
        },
        current_image: preview?.bytes.toString('base64') ?? null,
        textinfo: progress.queue?.position == null ? progress.stage : `queue ${progress.queue.position}`,
      });
    },

    /**
     * Cancels generations that the studio does not have yet. Those at the studio continue, and their outputs appear in
     * the library.
     */
    interrupt: async (request: FastifyRequest, reply: FastifyReply) => {
      const { principal } = request.admitted as Admitted;
      for (const id of await awaited(principal))
        await cancelGeneration(canceling, { id, accountId: principal.account.id }).catch((error: unknown) => {
          if (!(error instanceof ApiProblem)) throw error;
        });
      return reply.send({});
    },
  };
}
