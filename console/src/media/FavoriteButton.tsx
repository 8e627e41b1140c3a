import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callV1 } from '../api/client.ts';
import { Icon } from '../ui/Icon.tsx';
import type { MediaItem } from './media-item.ts';
import { readLibraryAgain, useAsset } from './use-asset.ts';

/** Marks an item of the library as a favorite, or removes the mark. */
export function FavoriteButton({ item, favorite }: { item: MediaItem; favorite: boolean }) {
  const queries = useQueryClient();
  const mark = useMutation({
    mutationFn: (wanted: boolean) =>
      callV1('updateAsset', { params: { type: item.pathType, id: item.id }, body: { favorite: wanted } }),
    onSuccess: () =>
      Promise.all([
        readLibraryAgain(queries),
        queries.invalidateQueries({ queryKey: ['v1', 'getImageAsset'] }),
      ]),
  });
  const shown = mark.isPending ? mark.variables : favorite;
  return (
    <Button
      variant={shown ? 'light' : 'default'}
      leftSection={<Icon name="heart" size={14} />}
      aria-pressed={shown}
      onClick={() => mark.mutate(!shown)}
    >
      {shown ? 'Favorite' : 'Make a favorite'}
    </Button>
  );
}

/** The favorite button for an output. Not shown when the output is no longer in the library. */
export function OutputFavoriteButton({ item }: { item: MediaItem }) {
  const asset = useAsset(item.id, item.type);
  return asset === undefined ? null : <FavoriteButton item={item} favorite={asset.favorite} />;
}
