import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callV1 } from '../api/client.ts';
import { Icon } from '../ui/Icon.tsx';
import type { MediaItem } from './media-item.ts';

/** Makes an item a favorite, or no longer one. */
export function FavoriteButton({ item, favorite }: { item: MediaItem; favorite: boolean }) {
  const queries = useQueryClient();
  const mark = useMutation({
    mutationFn: (wanted: boolean) =>
      callV1('updateAsset', { params: { type: item.pathType, id: item.id }, body: { favorite: wanted } }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['v1', 'listAssets'] }),
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
