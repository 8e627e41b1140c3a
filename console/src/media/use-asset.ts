import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { v1Query } from '../api/queries.ts';

/** The API shows single images only; a video is looked for among the newest. */
const videosSearched = 100;

/** An item of the library; undefined until it is loaded, and where the library does not have it. */
export function useAsset(id: string, type: 'image' | 'video', enabled = true): Asset | undefined {
  return useAssetState(id, type, enabled).asset;
}

/** The same, and whether the library is known not to have it. */
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

/** Has every list of the library read again, after something in it has changed. */
export async function readLibraryAgain(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['v1', 'listAssets'] }),
    queries.invalidateQueries({ queryKey: ['console', 'listLibraryItems'] }),
  ]);
}
