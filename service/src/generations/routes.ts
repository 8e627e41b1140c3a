import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type Handlers, RawReply } from '../handler.ts';
import { pageOf } from '../list-page.ts';
import { type CancelDependencies, cancelGeneration } from './cancel/cancel-generation.ts';
import type { CreateRequest, GenerationCreator } from './create/create-generation.ts';
import type { LongPolls } from './live/long-polls.ts';
import { generationListText, generationText } from './present.ts';
import { checkedId, type GenerationReader } from './reads/read-generation.ts';
import { listGenerations } from './reads/store.ts';

/** The use cases that clients have of generations. */
export type GenerationUseCases = {
  creator: GenerationCreator;
  reader: GenerationReader;
  canceling: CancelDependencies;
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
  | 'listGenerations'
  | 'cancelGeneration'
> {
  const { creator, reader, canceling, longPolls, database } = options;
  const create =
    (kind: GenerationKind) =>
    ({ principal, body, idempotencyKey, method, path }: Omit<CreateRequest, 'kind'>) =>
      creator.create({ principal, kind, body, idempotencyKey, method, path });
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
  };
}
