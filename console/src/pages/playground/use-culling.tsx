import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { callV1 } from '../../api/client.ts';
import { type MediaItem } from '../../media/media-item.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { showErrorToast } from '../../ui/toasts.ts';
import { readMarks, rememberMarks } from './drafts.ts';

/**
 * How long the toast is shown, in milliseconds; longer while the pointer is on it. After that the results are deleted.
 */
const undoMs = 6_000;

export type Culling = {
  kept: ReadonlySet<string>;
  discarded: ReadonlySet<string>;
  keep: (item: MediaItem) => void;
  discard: (items: readonly MediaItem[]) => void;
};

/**
 * Results discarded since the page was loaded. They are deleted a little later, when the result, and perhaps the
 * playground, is no longer on the page.
 */
const discards = {
  ids: new Set<string>() as ReadonlySet<string>,
  listeners: new Set<() => void>(),
  set(ids: Iterable<string>) {
    this.ids = new Set(ids);
    for (const listener of this.listeners) listener();
  },
};

function subscribe(listener: () => void) {
  discards.listeners.add(listener);
  return () => discards.listeners.delete(listener);
}

/**
 * Manages which results are kept and which are discarded. A discarded result disappears from the page at once, and from
 * the library a little later.
 */
export function useCulling(): Culling {
  const { account } = useSignedIn();
  const [marks] = useState(() => readMarks(account.id));
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set(marks.kept));
  const recent = useSyncExternalStore(subscribe, () => discards.ids);
  const discarded = new Set([...marks.discarded, ...recent]);
  const queries = useQueryClient();
  const putBack = (items: readonly MediaItem[]) =>
    discards.set([...discards.ids].filter((id) => !items.some((item) => item.id === id)));
  const remove = async (items: readonly MediaItem[]) => {
    try {
      for (const { pathType, id } of items) {
        await callV1('deleteAsset', { params: { type: pathType, id } });
        rememberMarks(account.id, 'discarded', [id]);
      }
    } catch (error) {
      putBack(items);
      showErrorToast(error as Error);
    }
    await queries.invalidateQueries({ queryKey: ['v1', 'listAssets'] });
  };
  const discard = (items: readonly MediaItem[]) => {
    discards.set([...discards.ids, ...items.map(({ id }) => id)]);
    let isOver = false;
    const id = notifications.show({
      autoClose: undoMs,
      // The number of visible toasts is limited. Behind error toasts, this toast would never close and its results
      // would never be deleted.
      priority: 1,
      // The toast is the only timer: nothing is deleted while Undo is visible or waits to be shown.
      onClose: () => {
        if (!isOver) void remove(items);
        isOver = true;
      },
      closeButtonProps: { 'aria-label': 'Dismiss' },
      message: (
        <Group justify="space-between">
          {items.length === 1 ? 'Discarded' : `${items.length} discarded`}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              // The button can still be pressed while the toast fades out.
              if (isOver) return;
              isOver = true;
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
  const keep = ({ id }: MediaItem) => {
    rememberMarks(account.id, 'kept', [id], !kept.has(id));
    setKept(new Set(kept.has(id) ? [...kept].filter((one) => one !== id) : [...kept, id]));
  };
  return { kept, discarded, keep, discard };
}
