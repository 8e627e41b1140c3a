import { Alert, Button, Group, Text } from '@mantine/core';
import { requestIdOf, sentenceOf } from '../api/errors.ts';
import { Icon } from './Icon.tsx';
import { Id } from './Id.tsx';

type ProblemAlertProps = {
  error: unknown;
  /** The action that failed: "The keys could not be read". */
  title?: string;
  onRetry?: () => void;
};

/** Shows an error: the text of its problem document, and the request id to give to the operator. */
export function ProblemAlert({ error, title, onRetry }: ProblemAlertProps) {
  const requestId = requestIdOf(error);
  return (
    <Alert color="red" variant="light" icon={<Icon name="warning" />} title={title} role="alert">
      <Text fz="sm" component="div" c="var(--mantine-color-text)">
        {sentenceOf(error)}
      </Text>
      {(requestId !== undefined || onRetry !== undefined) && (
        <Group gap="xs" mt={8}>
          {onRetry !== undefined && (
            <Button variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {requestId !== undefined && (
            <Group gap={4} miw={0} wrap="nowrap">
              <Text fz="xs" c="dimmed">
                Request
              </Text>
              <Id id={requestId} what="request id" />
            </Group>
          )}
        </Group>
      )}
    </Alert>
  );
}
