import { useQuery } from '@tanstack/react-query';
import { v1Query } from '../api/queries.ts';
import { FavoriteButton } from './FavoriteButton.tsx';
import type { MediaItem } from './media-item.ts';

/** Newest videos among which one is looked for: the API shows single images only. */
const videosLookedAt = 100;

/** Whether an output is a favorite, which the library knows. Nothing where it is no longer there. */
export function OutputFavorite({ item }: { item: MediaItem }) {
  const image = useQuery({
    ...v1Query('getImageAsset', { params: { id: item.id } }),
    enabled: item.type === 'image',
    placeholderData: undefined,
    retry: false,
  });
  const videos = useQuery({
    ...v1Query('listAssets', { query: { type: 'video', limit: videosLookedAt } }),
    enabled: item.type === 'video',
  });
  const asset = item.type === 'image' ? image.data : videos.data?.data.find(({ id }) => id === item.id);
  return asset === undefined ? null : <FavoriteButton item={item} favorite={asset.favorite} />;
}
