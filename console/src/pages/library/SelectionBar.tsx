import { Button, Text } from '@mantine/core';
import type { LibraryItem } from '@renderkit/contract/console/schemas/library.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../../api/client.ts';
import { type Outcome, tryEach } from '../../api/try-each.ts';
import { formatCount } from '../../format/numbers.ts';
import { downloadAddressOf, itemOfAsset } from '../../media/media-item.ts';
import { readLibraryAgain } from '../../media/use-asset.ts';
import { ActionBar } from '../../ui/ActionBar.tsx';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showErrorToast, showToast } from '../../ui/toasts.ts';
import { MoveModal } from './MoveModal.tsx';
import type { Selection } from './use-selection.ts';

type SelectionBarProps = { items: readonly LibraryItem[]; selection: Selection };

/** The actions on all chosen items. */
export function SelectionBar({ items, selection }: SelectionBarProps) {
  const [asking, setAsking] = useState<'move' | 'delete'>();
  const chosen = items.filter(({ asset }) => selection.has(asset.id));
  const ended = () => {
    setAsking(undefined);
    selection.clear();
  };
  const favorite = useFavorite();
  const allFavorites = chosen.every(({ asset }) => asset.favorite);
  return (
    <ActionBar
      label="Chosen items"
      count={chosen.length}
      noun="item"
      onClear={selection.clear}
      beside={
        chosen.length < items.length && (
          <Button variant="subtle" onClick={selection.chooseAll}>
            Choose all {items.length}
          </Button>
        )
      }
    >
      <Button
        component="a"
        href={downloadAddressOf(selection.chosen)}
        download
        leftSection={<Icon name="download" size={14} />}
      >
        Download
      </Button>
      <Button variant="default" onClick={() => setAsking('move')}>
        Move to a project
      </Button>
      <Button
        variant="default"
        leftSection={<Icon name="heart" size={14} />}
        loading={favorite.isPending}
        onClick={() => favorite.mutate({ chosen, favorite: !allFavorites })}
      >
        {allFavorites ? 'No favorites' : 'Favorites'}
      </Button>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => setAsking('delete')}
      >
        Delete
      </Button>
      <MoveModal
        ids={selection.chosen}
        opened={asking === 'move'}
        onClose={() => setAsking(undefined)}
        onMoved={ended}
      />
      <DeleteChosen
        chosen={chosen}
        opened={asking === 'delete'}
        onClose={() => setAsking(undefined)}
        onDeleted={ended}
      />
    </ActionBar>
  );
}

type DeleteChosenProps = {
  chosen: readonly LibraryItem[];
  opened: boolean;
  onClose: () => void;
  onDeleted: () => void;
};

function DeleteChosen({ chosen, opened, onClose, onDeleted }: DeleteChosenProps) {
  const remove = useRemove(onDeleted);
  const count = formatCount(chosen.length, 'item');
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Delete ${count}?`}
      action={`Delete ${count}`}
      onConfirm={() => remove.mutate(chosen)}
      pending={remove.isPending}
    >
      <Text fz="sm">
        They are taken out of the library and cannot be brought back. The records of their generations stay,
        with links that no longer lead anywhere.
      </Text>
    </ConfirmModal>
  );
}

function addressOf({ asset }: LibraryItem) {
  const { id, pathType } = itemOfAsset(asset);
  return { type: pathType, id };
}

function useRemove(onRemoved: () => void) {
  const report = useReport();
  return useMutation({
    mutationFn: (chosen: readonly LibraryItem[]) =>
      tryEach(chosen, (item) => callV1('deleteAsset', { params: addressOf(item) })),
    onSuccess: (outcome) => {
      onRemoved();
      return report(outcome, 'deleted');
    },
  });
}

function useFavorite() {
  const report = useReport();
  return useMutation({
    mutationFn: ({ chosen, favorite }: { chosen: readonly LibraryItem[]; favorite: boolean }) =>
      tryEach(
        chosen.filter(({ asset }) => asset.favorite !== favorite),
        (item) => callV1('updateAsset', { params: addressOf(item), body: { favorite } }),
      ),
    onSuccess: (outcome, { favorite }) =>
      report(outcome, favorite ? 'marked as favorites' : 'no favorites any more'),
  });
}

/** Returns a function that shows the result of an action on many items, and reloads the lists. */
function useReport() {
  const queries = useQueryClient();
  return async ({ done, failed }: Outcome<LibraryItem>, what: string) => {
    const [first] = failed;
    if (done.length > 0) showToast(`${formatCount(done.length, 'item')} ${what}.`);
    if (first !== undefined)
      showErrorToast(
        new Error(`${formatCount(failed.length, 'item')} stayed as they were: ${first.error.message}`),
      );
    await readLibraryAgain(queries);
  };
}
