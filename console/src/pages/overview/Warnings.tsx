import { Alert, Group, Stack, Text } from '@mantine/core';
import type { Warning } from '@renderkit/contract/console/schemas/overview.ts';
import { Icon } from '../../ui/Icon.tsx';
import { TextLink } from '../../ui/TextLink.tsx';

/** Things that need attention, each with a link to its page. `service/src/console-api/warnings.ts` decides which. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Warnings">
      {warnings.map((warning) => (
        <Alert
          key={`${warning.code}-${warning.subject_id}`}
          color="orange"
          icon={<Icon name="warning" />}
          py={8}
        >
          <Group justify="space-between" gap="xs">
            <Text fz="sm" c="var(--mantine-color-text)" style={{ overflowWrap: 'anywhere' }}>
              {warning.detail}
            </Text>
            <WarningLink warning={warning} />
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}

function WarningLink({ warning: { code, subject_id: id } }: { warning: Warning }) {
  switch (code) {
    case 'connection_expired':
    case 'studio_unreachable':
      return <TextLink to="/connection">See the connection</TextLink>;
    case 'endpoint_failing':
      return id === null ? (
        <TextLink to="/webhooks">See the endpoints</TextLink>
      ) : (
        <TextLink to="/webhooks/$id" params={{ id }}>
          See the endpoint
        </TextLink>
      );
    case 'storage_nearly_used':
      return <TextLink to="/storage">See the storage</TextLink>;
    case 'budget_nearly_used':
      return <TextLink to="/keys">See the keys</TextLink>;
  }
}
