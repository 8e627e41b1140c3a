import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readMaxCost } from '../budgets/budget.ts';
import { type HandlerContext, type Handlers, RawReply } from '../http/handler.ts';
import { pageOf } from '../http/list-page.ts';
import { type CancelDependencies, cancelGeneration } from './cancel/cancel-generation.ts';
import type { CreateRequest, GenerationCreator } from './create/create-generation.ts';
import type { LongPolls } from './live/long-polls.ts';
import { holdBack } from './live/prefer-wait.ts';
import { generationListText, generationText } from './present.ts';
import { showGeneration } from './reads/list-console-rows.ts';
import { checkedId, type GenerationReader } from './reads/read-generation.ts';
import { presentRequest } from './reads/request-body.ts';
import { listGenerations } from './reads/store.ts';
import { type StopDependencies, stopGeneration } from './stop/stop-generation.ts';

/** The use cases that clients need for generations. */
export type GenerationUseCases = {
  creator: GenerationCreator;
  reader: GenerationReader;
  canceling: CancelDependencies;
  stopping: StopDependencies;
  longPolls: LongPolls;
};

export function generationRoutes(
  options: GenerationUseCases & { database: Database },
): Pick<
  Handlers,
  | 'createImageGeneration'
  | 'createImageEdit'
  | 'createVideoGeneration'
  | 'extendVideo'
  | 'getGeneration'
  | 'getGenerationRequest'
  | 'listGenerations'
  | 'cancelGeneration'
  | 'stopGeneration'
> {
  const { creator, reader, canceling, stopping, longPolls, database } = options;
  const create =
    (kind: GenerationKind) =>
    async (request: Omit<CreateRequest, 'kind'> & Pick<HandlerContext, 'headers' | 'signal'>) => {
      const { principal, body, idempotencyKey, requestId, method, path } = request;
      const maxMillicredits = readMaxCost(request.headers);
      const asked = { principal, body, idempotencyKey, maxMillicredits, requestId, method, path };
      const accepted = await creator.create({ ...asked, kind });
      return holdBack(longPolls, accepted, request);
    };
  return {
    createImageGeneration: create('image'),
    createImageEdit: create('image_edit'),
    createVideoGeneration: create('video'),
    extendVideo: create('video_extend'),

    getGeneration: async (request) => {
      const { principal, params, query } = request;
      const asked = { id: checkedId(params.id), accountId: principal.account.id };
      if (query.wait === undefined || query.wait === 0)
        return new RawReply(200, generationText(await reader.read(asked)));
      const { text, closing } = await longPolls.wait({
        ...asked,
        keyId: principal.key.id,
        seconds: query.wait,
        gone: () => request.signal,
      });
      return new RawReply(200, text, closing ? { connection: 'close' } : undefined);
    },

    getGenerationRequest: async ({ principal, params }) =>
      presentRequest(
        await showGeneration(database, { id: checkedId(params.id), accountId: principal.account.id }),
      ),

    listGenerations: async ({ principal, query }) => {
      const { page, limit, offset } = pageOf(query);
      const rows = await listGenerations(database, {
        accountId: principal.account.id,
        status: query.status,
        kind: query.kind,
        offset,
        limit: limit + 1,
      });
      const texts = rows.slice(0, limit).map(generationText);
      return new RawReply(200, generationListText(texts, { page, limit, hasMore: rows.length > limit }));
    },

    cancelGeneration: async ({ principal, params }) => {
      const { account, actor } = principal;
      const asked = { id: checkedId(params.id), accountId: account.id, actor };
      return new RawReply(200, generationText(await cancelGeneration(canceling, asked)));
    },

    stopGeneration: async ({ principal, params }) => {
      const { account, actor } = principal;
      const asked = { id: checkedId(params.id), accountId: account.id, actor };
      return new RawReply(202, generationText(await stopGeneration(stopping, asked)));
    },
  };
}
