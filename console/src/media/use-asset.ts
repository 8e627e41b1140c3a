import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { v1Query } from '../api/queries.ts';

/** How many videos, newest first, are searched. The API returns single images, but no single videos. */
const videosSearched = 100;

/** Returns an item of the library. `undefined` while it loads, and when the library does not have it. */
export function useAsset(id: string, type: 'image' | 'video', enabled = true): Asset | undefined {
  return useAssetState(id, type, enabled).asset;
}

/** Returns the item, and whether the library is known not to have it. */
export function useAssetState(
  id: string,
  type: 'image' | 'video',
  enabled = true,
): { asset: Asset | undefined; missing: boolean } {
  const image = useQuery({
    ...v1Query('getImageAsset', { params: { id } }),
    enabled: enabled && type === 'image',
    placeholderData: undefined,
    retry: false,
  });
  const videos = useQuery({
    ...v1Query('listAssets', { query: { type: 'video', limit: videosSearched } }),
    enabled: enabled && type === 'video',
  });
  const asset = type === 'image' ? image.data : videos.data?.data.find((video) => video.id === id);
  const { isFetching, isPending } = type === 'image' ? image : videos;
  return { asset, missing: asset === undefined && !isFetching && !isPending };
}

/** Reloads every list of the library after something in it has changed. */
export async function readLibraryAgain(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['v1', 'listAssets'] }),
    queries.invalidateQueries({ queryKey: ['console', 'listLibraryItems'] }),
  ]);
}
