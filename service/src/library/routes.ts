import type { Handlers } from '../http/handler.ts';
import { pageOf } from '../http/list-page.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { asNotFound, translated } from '../studio-client/translate-error.ts';
import { listAssets } from './list-assets.ts';
import { presentAsset } from './present.ts';

const noSuchItem = asNotFound('There is no such item in the library.');

/**
 * The studio keeps the library and assigns its ids (docs/api.md §4). The output of a generation is the item with the
 * same id. `studio/src/library/routes.ts` answers these calls.
 */
export function libraryRoutes({
  studioClient,
}: {
  studioClient: StudioClient;
}): Pick<Handlers, 'listAssets' | 'getImageAsset' | 'updateAsset' | 'deleteAsset'> {
  return {
    listAssets: async ({ principal, query }) => {
      const { page, limit } = pageOf(query);
      const answer = await listAssets(studioClient, principal.account.id, { ...query, page, limit });
      return {
        object: 'list',
        data: answer.assets.map(presentAsset),
        page,
        limit,
        has_more: answer.has_more,
      };
    },
    getImageAsset: async ({ principal, params: { id } }) => {
      const call = studioClient.call('getAsset', {
        accountId: principal.account.id,
        params: { type: 'image', id },
      });
      return presentAsset(await translated(call.catch(noSuchItem)));
    },
    updateAsset: async ({ principal, params, body: { favorite } }) => {
      const call = studioClient.call('favoriteAsset', {
        accountId: principal.account.id,
        params,
        body: { favorite },
      });
      const asset = await translated(call.catch(noSuchItem));
      return { id: asset.id, object: 'asset', favorite: asset.favorite };
    },
    deleteAsset: async ({ principal, params }) => {
      const call = studioClient.call('deleteAsset', { accountId: principal.account.id, params });
      await translated(call.catch(noSuchItem));
      return { id: params.id, object: 'asset', deleted: true };
    },
  };
}
