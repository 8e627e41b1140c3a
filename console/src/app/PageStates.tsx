import { Skeleton, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ButtonLink } from '../ui/ButtonLink.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';

/** Shown while the code of a page or the signed-in person is loading. */
export function PageLoading() {
  return (
    <Stack p="xl" gap="md" maw="72rem" mx="auto" aria-busy="true" aria-label="Loading">
      <Skeleton h={26} w="14rem" />
      <Skeleton h={14} w="26rem" maw="100%" />
      <Skeleton h={220} mt="md" />
    </Stack>
  );
}

/** Shown when a page failed. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

/** Shown without the shell when the signed-in person could not be read. */
export function ConsoleError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="The console could not be shown" landmark>
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

/** Shown within the shell when there is no page at this address. */
export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        icon="search"
        title="There is no page at this address"
        action={<ButtonLink to="/">Go to the overview</ButtonLink>}
      >
        The link may be old, or misspelt.
      </EmptyState>
    </Page>
  );
}
