import { Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { v1Query } from '../api/queries.ts';
import { Icon } from '../ui/Icon.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import { MediaView } from './MediaView.tsx';
import classes from './library-picker.module.css';
import { itemOfAsset, nameOfItem, referenceOfItem } from './media-item.ts';
import type { Reference } from './reference.ts';

type LibraryPickerProps = {
  type: 'image' | 'video';
  opened: boolean;
  onClose: () => void;
  onChoose: (reference: Reference) => void;
};

const pageSize = 24;

/** A dialog to choose one item of the library. */
export function LibraryPicker({ type, opened, onClose, onChoose }: LibraryPickerProps) {
  const noun = type === 'image' ? 'picture' : 'video';
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Choose a ${noun} of the library`}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Choices
        type={type}
        onChoose={(reference) => {
          onChoose(reference);
          onClose();
        }}
      />
    </Modal>
  );
}

/** Rendered only while the dialog is open, so it loads nothing earlier. */
function Choices({ type, onChoose }: Pick<LibraryPickerProps, 'type' | 'onChoose'>) {
  const [typed, setTyped] = useState('');
  const [page, setPage] = useState(1);
  const [search] = useDebouncedValue(typed.trim(), 300);
  const query = useQuery(
    v1Query('listAssets', { query: { type, page, limit: pageSize, ...(search !== '' && { search }) } }),
  );
  const { data, error } = query;
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Search by prompt"
        placeholder="Search by prompt"
        leftSection={<Icon name="search" size={14} />}
        maxLength={100}
        value={typed}
        data-autofocus
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setPage(1);
        }}
      />
      {error !== null && <ProblemAlert error={error} onRetry={() => void query.refetch()} />}
      {data?.data.length === 0 && (
        <Text fz="sm" c="dimmed" py="lg" ta="center">
          {search === ''
            ? `The library has no ${type}s yet. What is generated appears here.`
            : 'Nothing was made with such words.'}
        </Text>
      )}
      <ul className={classes['grid']}>
        {data === undefined && error === null
          ? Array.from({ length: 8 }, (_, i) => (
              <li key={i}>
                <Skeleton className={classes['cell']} />
              </li>
            ))
          : data?.data.map((asset) => {
              const item = itemOfAsset(asset);
              return (
                <li key={asset.id}>
                  <button
                    type="button"
                    className={classes['cell']}
                    aria-label={`Choose ${nameOfItem(item)}`}
                    onClick={() => onChoose(referenceOfItem(item))}
                  >
                    <MediaView item={item} small fill inert alt="" />
                  </button>
                </li>
              );
            })}
      </ul>
      {data !== undefined && (page > 1 || data.has_more) && (
        <Group justify="space-between">
          <Button variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
            Newer
          </Button>
          <Button variant="default" disabled={!data.has_more} onClick={() => setPage(page + 1)}>
            Older
          </Button>
        </Group>
      )}
    </Stack>
  );
}
