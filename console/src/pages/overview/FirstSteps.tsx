import { Group } from '@mantine/core';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';

/** In place of charts while there is nothing to chart. */
export function FirstSteps() {
  return (
    <EmptyState
      icon="playground"
      title="Nothing was generated yet"
      action={
        <Group gap="xs" justify="center">
          <ButtonLink to="/playground">Open the playground</ButtonLink>
          <ButtonLink to="/keys" variant="default">
            Create an API key
          </ButtonLink>
        </Group>
      }
    >
      Make a first picture in the playground, or create an API key and let a program make it.
    </EmptyState>
  );
}
