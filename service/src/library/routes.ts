import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import type { Handlers } from '../handler.ts';
import { pageOf } from '../list-page.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { asNotFound, translated } from '../studio-client/translate-error.ts';

const noSuchItem = asNotFound('There is no such item in the library.');

/** The library is the studio's (docs/api.md §4), and its ids are: the output of a generation is an item of that id. */
export function libraryRoutes({
  studioClient,
}: {
  studioClient: StudioClient;
}): Pick<Handlers, 'listAssets' | 'getImageAsset' | 'updateAsset' | 'deleteAsset'> {
  return {
    listAssets: async ({ principal, query }) => {
      const { page, limit } = pageOf(query);
      const { type, project_id, search, favorites } = query;
      const answer = await translated(
        studioClient.call('listAssets', {
          accountId: principal.account.id,
          query: {
            page,
            limit,
            ...(type !== undefined && { type }),
            ...(project_id !== undefined && { project_id }),
            ...(search !== undefined && { search }),
            ...(favorites !== undefined && { favorites: favorites === 'true' }),
          },
        }),
      );
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

// Field by field: whatever else a studio sends stays inside.
export function presentAsset(asset: StudioAsset): Asset {
  return {
    id: asset.id,
    object: 'asset',
    type: asset.type,
    generation_type: asset.generation_type,
    url: asset.url,
    thumb_url: asset.thumb_url,
    width: asset.width,
    height: asset.height,
    duration: asset.duration,
    aspect_ratio: asset.aspect_ratio,
    nsfw: asset.nsfw,
    favorite: asset.favorite,
    project_id: asset.project_id,
    prompt_id: asset.prompt_id,
    created_at: asset.created_at,
  };
}
