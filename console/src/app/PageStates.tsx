import { Skeleton, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import { ButtonLink } from '../ui/ButtonLink.tsx';

/** While the code of a page, or who is signed in, is on its way. */
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
export function PageFault({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

/** The same where not even the shell could be shown: nobody knows yet who is signed in. */
export function ConsoleFault({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="The console could not be shown" landmark>
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page landmark title="Not found">
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
