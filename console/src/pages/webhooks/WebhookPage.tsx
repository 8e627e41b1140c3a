import { Alert, Button, Group, Text } from '@mantine/core';
import type { Webhook } from '@renderkit/contract/console/schemas/webhook.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { consoleQuery, live } from '../../api/queries.ts';
import { Address } from '../../ui/Address.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Id } from '../../ui/Id.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { useRetryCountdown } from '../../ui/use-retry-countdown.ts';
import { EndpointStatus, Health } from './EndpointHealth.tsx';
import { RecentDeliveries } from './RecentDeliveries.tsx';
import { SigningSecret } from './SigningSecret.tsx';
import { TestResult } from './TestResult.tsx';
import { WebhookActions } from './WebhookActions.tsx';

const route = getRouteApi('/signed-in/webhooks/$id');
const parent = { title: 'Webhooks', to: '/webhooks' } as const;

export function WebhookPage() {
  const { id } = route.useParams();
  const webhook = useQuery({ ...consoleQuery('getWebhook', { params: { id } }), refetchInterval: live });
  if (webhook.data?.id !== id)
    return (
      <Page title="Webhook endpoint" parent={parent}>
        {webhook.error === null ? (
          <ListSkeleton />
        ) : (
          <ProblemAlert error={webhook.error} title="The endpoint could not be read" />
        )}
      </Page>
    );
  return <Endpoint key={id} webhook={webhook.data} />;
}

function Endpoint({ webhook }: { webhook: Webhook }) {
  const [tested, setTested] = useState<string>();
  const test = useMutation({
    mutationFn: () => callConsole('pingWebhook', { params: { id: webhook.id } }),
    onSuccess: (delivery) => setTested(delivery.id),
  });
  const wait = useRetryCountdown(test.error);
  return (
    <Page
      title={webhook.url}
      heading={<Address url={webhook.url} />}
      parent={parent}
      actions={
        <>
          <Button
            leftSection={<Icon name="send" size={14} />}
            loading={test.isPending}
            disabled={wait > 0}
            onClick={() => test.mutate()}
          >
            {wait > 0 ? `Send test in ${wait} s` : 'Send test'}
          </Button>
          <WebhookActions webhook={webhook} />
        </>
      }
    >
      {webhook.failing_since !== null && webhook.status === 'active' && (
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Text fz="sm" component="div" c="var(--mantine-color-text)">
            Every attempt has failed since <Time at={webhook.failing_since} />. Look at the last answers
            below, mend the receiver, then resend what failed. Tests that fail do not count here.
          </Text>
        </Alert>
      )}
      {tested !== undefined && <TestResult key={tested} deliveryId={tested} />}
      <Section title="Endpoint">
        <DescriptionList
          items={[
            ['State', <EndpointStatus key="state" webhook={webhook} />],
            ['Last 24 hours', <Health key="health" health={webhook.health} />],
            [
              'Events',
              <span key="events" data-whole-row="true">
                {webhook.events.length === 0 ? 'Test deliveries alone' : webhook.events.join(', ')}
              </span>,
            ],
            ['Added', <Time key="created" at={webhook.created_at} />],
            ['Paused', webhook.paused_at === null ? undefined : <Time key="paused" at={webhook.paused_at} />],
            ['Id', <Id key="id" id={webhook.id} what="id of the endpoint" />],
          ]}
        />
      </Section>
      <SigningSecret webhookId={webhook.id} />
      <RecentDeliveries webhookId={webhook.id} />
      <Group>
        <TextLink to="/docs/$page" params={{ page: 'webhooks' }}>
          How a receiver checks the signature
        </TextLink>
      </Group>
    </Page>
  );
}
