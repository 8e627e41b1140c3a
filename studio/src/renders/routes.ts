import type { Render, StopAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import { unstoppableEngines } from '@renderkit/engine-kit/route.ts';
import { isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { FastifyReply } from 'fastify';
import type { Authenticator, Bearer } from '../authentication/authenticate.ts';
import { refreshed } from '../credits/refill-account.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import { createQuotes } from './create-quotes.ts';
import { createSharedQuotes } from './create-shared-quotes.ts';
import {
  findOwn,
  findRenders,
  stopRender,
  type OwnAnswer,
  type OwnQuestion,
  takeInjectedError,
  tombstoneRender,
} from './store.ts';
import { createSubmitter, type SubmitDependencies } from './submit-render.ts';

export type RenderRoutesOptions = Omit<SubmitDependencies, 'findOwn'> & {
  presentRender: (render: Render) => Render;
  findBearer: Authenticator['findBearer'];
  /** The client id of the service. Only its tokens are accepted. */
  clientId: string;
};

const idsPerStatement = 256;
const faultRetrySeconds = 5;
// How long an injected silence lasts for a client that does not give up.
const silenceMs = 60_000;

export function renderRoutes(
  options: RenderRoutesOptions,
): Pick<
  Handlers,
  | 'createQuotes'
  | 'createSharedQuotes'
  | 'submitRender'
  | 'getRender'
  | 'lookUpRenders'
  | 'tombstoneRender'
  | 'stopRender'
> {
  const { database, presentRender } = options;
  const lookUpOwn = createBatcher<OwnQuestion, OwnAnswer>({
    run: (questions) => findOwn(database, questions),
    maxSize: idsPerStatement,
    maxInFlight: 2,
    isHopeless: isDatabaseUnavailable,
  });
  const submit = createSubmitter({ ...options, findOwn: lookUpOwn });
  const quoting = { quoteKey: options.quoteKey, moderation: options.moderation, findOwn: lookUpOwn };
  return {
    createQuotes: async ({ body, bearer, reply }) => {
      const fault =
        bearer.account.next_fault === null ? undefined : await takeInjectedError(database, bearer.account.id);
      if (fault !== undefined && fault !== 'concurrency') return answerWithInjectedError(fault, reply);
      const results = await createQuotes(
        body,
        { ...(await refreshed(database, bearer)), snapshot: options.catalog.current() },
        { refuseConcurrency: fault === 'concurrency' },
        quoting,
      );
      return { results };
    },
    createSharedQuotes: async ({ body }) => ({
      results: await createSharedQuotes(body, {
        ...quoting,
        findBearer: options.findBearer,
        clientId: options.clientId,
        snapshot: options.catalog.current(),
      }),
    }),
    submitRender: async ({ params, body, bearer }) => {
      const answer = await submit(params.token, body, bearer);
      return answer.outcome === 'accepted' ? { ...answer, render: presentRender(answer.render) } : answer;
    },
    getRender: async ({ params, bearer }) => {
      const { renders } = await findRenders(database, bearer.account.id, [params.token]);
      const [render] = renders;
      if (render === undefined) throw new StudioError('not_found', 'No render has this token.');
      return presentRender(render);
    },
    lookUpRenders: async ({ body, bearer }) => {
      const { renders, ledger_seq } = await findRenders(database, bearer.account.id, body.tokens);
      return { renders: renders.map(presentRender), ledger_seq };
    },
    tombstoneRender: async ({ params, bearer }) => {
      const answer = await tombstoneRender(database, {
        account: bearer.account.id,
        token: params.token,
        client: bearer.clientId,
        newId: newId('rnd_'),
      });
      if (answer.outcome === 'known') return { ...answer, render: presentRender(answer.render) };
      options.announce.change(bearer.account.id);
      return answer;
    },
    stopRender: ({ params, bearer }) => stop(options, params.token, bearer),
  };
}

async function stop(
  { database, catalog, announce, presentRender }: RenderRoutesOptions,
  token: string,
  { account }: Bearer,
): Promise<StopAnswer> {
  const plan = await catalog.plan(account.tier);
  const stopped = await stopRender(database, {
    account: account.id,
    token,
    refund: plan.stop_refund,
    unstoppable: unstoppableEngines,
  });
  if (stopped === undefined) throw new StudioError('not_found', 'No render has this token.');
  // Workers must learn of a render that is stopping; the account's readers must learn of one that ended here.
  if (stopped.outcome === 'stopping') announce.job();
  else announce.change(account.id);
  return { ...stopped, render: presentRender(stopped.render) };
}

/** Fails this call on purpose, with the fault that the operator injected. */
async function answerWithInjectedError(fault: string, reply: FastifyReply): Promise<undefined> {
  if (fault === 'rate')
    throw new StudioError('rate_limited', 'The account asks too often.', {
      retryAfterSeconds: faultRetrySeconds,
    });
  if (fault === 'silence')
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, silenceMs);
      reply.raw.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  await reply.header('content-type', 'text/html').send('<html><body>It works!</body></html>');
  return undefined;
}
