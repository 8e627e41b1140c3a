import { Button, Group, Text } from '@mantine/core';
import { Icon } from './Icon.tsx';

type PagerProps = {
  page: number;
  hasMore: boolean;
  /** Writes the page to the address. */
  onPage: (page: number) => void;
};

/** Buttons for the newer and older pages of a list. Shows nothing when one page has all items. */
export function Pager({ page, hasMore, onPage }: PagerProps) {
  if (page === 1 && !hasMore) return null;
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" px="sm" py={8}>
      <Button
        variant="default"
        leftSection={<Icon name="left" size={14} />}
        disabled={page === 1}
        onClick={() => onPage(page - 1)}
      >
        Newer
      </Button>
      <Text fz="sm" c="dimmed">
        Page {page}
      </Text>
      <Button
        variant="default"
        rightSection={<Icon name="right" size={14} />}
        disabled={!hasMore}
        onClick={() => onPage(page + 1)}
      >
        Older
      </Button>
    </Group>
  );
}
