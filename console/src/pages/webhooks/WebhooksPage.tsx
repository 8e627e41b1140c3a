import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Webhook } from '@renderkit/contract/console/schemas/webhook.ts';
import { maxWebhookEndpoints } from '@renderkit/contract/v1/limits.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery, live } from '../../api/queries.ts';
import { Address } from '../../ui/Address.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { CreateWebhookModal } from './CreateWebhookModal.tsx';
import { EndpointStatus, Health } from './EndpointHealth.tsx';

export function WebhooksPage() {
  const webhooks = useQuery({ ...consoleQuery('listWebhooks', {}), refetchInterval: live });
  const [creating, create] = useDisclosure(false);
  const rows = webhooks.data?.data;
  const createButton = (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={create.open}>
      Add endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      description="Addresses that are told when a generation or an upload has an outcome, whichever key began it."
      actions={createButton}
    >
      {webhooks.error !== null && (
        <ProblemAlert error={webhooks.error} title="The endpoints could not be read" />
      )}
      {webhooks.isPending && <ListSkeleton rows={3} />}
      {rows?.length === 0 && (
        <EmptyState icon="webhooks" title="No endpoints yet" action={createButton}>
          Add the https address of your receiver, send a test to it, and stop asking whether a generation has
          finished.
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable
          label="Webhook endpoints"
          rows={rows}
          rowKey={(webhook) => webhook.id}
          columns={columns}
          footer={
            <Text fz="xs" c="dimmed" px="sm" py={8}>
              {rows.length} of {maxWebhookEndpoints} endpoints. Counts are of the last 24 hours.
            </Text>
          }
        />
      )}
      <CreateWebhookModal opened={creating} onClose={create.close} />
    </Page>
  );
}

const columns: Column<Webhook>[] = [
  {
    title: 'Endpoint',
    minWidth: '13rem',
    cell: (webhook) => (
      <div>
        <TextLink
          to="/webhooks/$id"
          params={{ id: webhook.id }}
          fw={560}
          c="var(--mantine-color-text)"
          style={{ overflowWrap: 'anywhere' }}
        >
          <Address url={webhook.url} />
        </TextLink>
        <Text fz="xs" c="dimmed">
          {webhook.events.length === 0 ? 'Test deliveries alone' : webhook.events.join(', ')}
        </Text>
      </div>
    ),
  },
  { title: 'State', cell: (webhook) => <EndpointStatus webhook={webhook} /> },
  { title: 'Recent health', ownLine: true, cell: (webhook) => <Health health={webhook.health} /> },
];
