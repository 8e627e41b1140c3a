import { Skeleton, Stack } from '@mantine/core';

/** Shown while a list is loaded for the first time. */
export function ListSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <Stack gap={10} aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} h={38} />
      ))}
    </Stack>
  );
}
