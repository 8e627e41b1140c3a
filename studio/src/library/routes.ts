import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import { removeOrphanFolders } from '../storage/orphan-folders.ts';
import { moveAssetRows } from './move-store.ts';
import { presentAsset } from './present.ts';
import type { ItemDependencies } from './keep-item.ts';
import { deleteAssetRow, findAsset, findAssets, selectAssets, updateFavorite } from './store.ts';
import { createFrameTaker } from './take-frame.ts';

const farthestOffset = 1_000_000;

export function libraryRoutes(
  options: ItemDependencies & { mediaUrl: string },
): Pick<
  Handlers,
  'listAssets' | 'getAsset' | 'lookUpAssets' | 'favoriteAsset' | 'moveAssets' | 'deleteAsset' | 'takeFrame'
> {
  const { database, storage, mediaUrl } = options;
  const takeFrame = createFrameTaker(options);
  const present = (asset: StudioAsset | undefined) => presentAsset(found(asset), mediaUrl);
  return {
    listAssets: async ({ query, bearer }) => {
      if ((query.page - 1) * query.limit > farthestOffset)
        throw new StudioError('invalid_request', 'The page lies too far out.');
      for (const moment of [query.made_from, query.made_before])
        if (moment !== undefined && Number.isNaN(Date.parse(moment)))
          throw new StudioError('invalid_request', `There is no moment ${moment}.`);
      const { assets, hasMore } = await selectAssets(database, bearer.account.id, query);
      return { assets: assets.map(present), has_more: hasMore };
    },
    getAsset: async ({ params, bearer }) =>
      present(await findAsset(database, { ...params, account: bearer.account.id })),
    lookUpAssets: async ({ body, bearer }) => {
      const assets = await findAssets(database, bearer.account.id, body.ids);
      return { assets: assets.map(present) };
    },
    moveAssets: async ({ body: { ids, project_id: project }, bearer }) => {
      const moved = await moveAssetRows(database, { account: bearer.account.id, ids, project });
      if (moved === undefined) throw new StudioError('not_found', 'There is no such project.');
      return { moved };
    },
    favoriteAsset: async ({ params, body, bearer }) =>
      present(await updateFavorite(database, { ...params, account: bearer.account.id }, body)),
    deleteAsset: async ({ params, bearer }) => {
      const folders = found(await deleteAssetRow(database, { ...params, account: bearer.account.id }));
      // The next clean-up removes what cannot be removed now.
      await removeOrphanFolders(database, storage, folders).catch(() => undefined);
      return { deleted: true };
    },
    takeFrame: async ({ params, body, bearer }) => {
      const { key, assetId } = await takeFrame({
        account: bearer.account.id,
        video: params.id,
        time: body.time,
        project: body.project_id,
      });
      return { url: mediaUrl + key, asset_id: assetId };
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new StudioError('not_found', 'There is no such item in the library.');
  return value;
}
