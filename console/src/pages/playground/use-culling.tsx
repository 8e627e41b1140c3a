import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../../api/client.ts';
import { type MediaItem } from '../../media/media-item.ts';
import { showErrorToast } from '../../ui/toasts.ts';

/** Milliseconds in which a discarded item can be taken back; then it is deleted. */
const undoMs = 6_000;

export type Culling = {
  kept: ReadonlySet<string>;
  discarded: ReadonlySet<string>;
  keep: (item: MediaItem) => void;
  discard: (items: readonly MediaItem[]) => void;
};

/** What of the results is kept, and what is discarded: it goes from the page at once, and from the library a little later. */
export function useCulling(): Culling {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [discarded, setDiscarded] = useState<ReadonlySet<string>>(new Set());
  const queries = useQueryClient();
  const putBack = (items: readonly MediaItem[]) =>
    setDiscarded((before) => new Set([...before].filter((id) => !items.some((item) => item.id === id))));
  const remove = async (items: readonly MediaItem[]) => {
    try {
      for (const { pathType, id } of items) await callV1('deleteAsset', { params: { type: pathType, id } });
    } catch (error) {
      putBack(items);
      showErrorToast(error as Error);
    }
    await queries.invalidateQueries({ queryKey: ['v1', 'listAssets'] });
  };
  const discard = (items: readonly MediaItem[]) => {
    setDiscarded((before) => new Set([...before, ...items.map(({ id }) => id)]));
    const timer = setTimeout(() => void remove(items), undoMs);
    const id = notifications.show({
      autoClose: undoMs,
      closeButtonProps: { 'aria-label': 'Dismiss' },
      message: (
        <Group justify="space-between">
          {items.length === 1 ? 'Discarded' : `${items.length} discarded`}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              clearTimeout(timer);
              putBack(items);
              notifications.hide(id);
            }}
          >
            Undo
          </Button>
        </Group>
      ),
    });
  };
  const keep = (item: MediaItem) =>
    setKept((before) => {
      const next = new Set(before);
      if (!next.delete(item.id)) next.add(item.id);
      return next;
    });
  return { kept, discarded, keep, discard };
}
