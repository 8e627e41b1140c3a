import { Skeleton, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ButtonLink } from '../ui/ButtonLink.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';

/** Shown while the code of a page, or who is signed in, is loading. */
export function PageLoading() {
  return (
    <Stack p="xl" gap="md" maw="72rem" mx="auto" aria-busy="true" aria-label="Loading">
      <Skeleton h={26} w="14rem" />
      <Skeleton h={14} w="26rem" maw="100%" />
      <Skeleton h={220} mt="md" />
    </Stack>
  );
}

/** In place of a page that could not be shown. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

/** The same without the shell: who is signed in could not be read. */
export function ConsoleError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="The console could not be shown" landmark>
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

/** In place of a page that is not there, within the shell. */
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
