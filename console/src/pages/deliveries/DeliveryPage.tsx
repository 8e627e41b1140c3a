import { Button, Stack, Text } from '@mantine/core';
import type { DeliveryDetail } from '@renderkit/contract/console/schemas/delivery.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { callConsole } from '../../api/client.ts';
import { consoleQuery, live } from '../../api/queries.ts';
import { subjectOf } from '../../deliveries/delivery-labels.ts';
import { prettyJson } from '../../format/json.ts';
import { Address } from '../../ui/Address.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Id } from '../../ui/Id.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { useRetryCountdown } from '../../ui/use-retry-countdown.ts';
import { Attempts } from './Attempts.tsx';

const route = getRouteApi('/signed-in/deliveries/$id');
const parent = { title: 'Deliveries', to: '/deliveries' } as const;

export function DeliveryPage() {
  const { id } = route.useParams();
  const delivery = useQuery({
    ...consoleQuery('getDelivery', { params: { id } }),
    refetchInterval: live,
  });
  if (delivery.data?.id !== id)
    return (
      <Page title="Delivery" parent={parent}>
        {delivery.error === null ? (
          <ListSkeleton />
        ) : (
          <ProblemAlert error={delivery.error} title="The delivery could not be read" />
        )}
      </Page>
    );
  return <Delivery delivery={delivery.data} />;
}

function Delivery({ delivery }: { delivery: DeliveryDetail }) {
  const { request } = delivery;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Page
      title={`Delivery of ${delivery.event_type}`}
      parent={parent}
      actions={<Resend delivery={delivery} />}
    >
      <Section title="Delivery">
        <DescriptionList
          items={[
            ['Status', <StatusBadge key="status" status={delivery.status} />],
            ['Endpoint', <EndpointLink key="endpoint" delivery={delivery} />],
            ['Subject', <Subject key="subject" body={request.body} />],
            ['Event happened', <Time key="created" at={delivery.created_at} />],
            [
              'Next attempt',
              delivery.next_attempt_at === null ? undefined : (
                <Time key="next" at={delivery.next_attempt_at} relative />
              ),
            ],
            [
              'Ended',
              delivery.completed_at === null ? undefined : <Time key="end" at={delivery.completed_at} />,
            ],
            ['Event id', <Id key="event" id={delivery.event_id} what="id of the event" />],
            ['Delivery id', <Id key="id" id={delivery.id} what="id of the delivery" />],
          ]}
        />
      </Section>
      <Attempts attempts={delivery.attempts_made} />
      <Section title="Request" card={false}>
        <Stack gap="sm">
          <CodeBlock
            label="Headers"
            wrap
            samples={[
              { name: 'Headers', text: [`${request.method} ${delivery.url}`, ...headers].join('\n') },
            ]}
          />
          <Text fz="xs" c="dimmed">
            The signature is made for the moment of each attempt and not kept.
          </Text>
          <CodeBlock
            label="Body"
            wrap
            samples={[
              { name: 'Pretty', text: prettyJson(request.body) },
              { name: 'Raw', text: request.body },
            ]}
          />
        </Stack>
      </Section>
    </Page>
  );
}

function EndpointLink({ delivery }: { delivery: DeliveryDetail }) {
  if (delivery.status === 'ended') return <Address url={delivery.url} />;
  return (
    <TextLink to="/webhooks/$id" params={{ id: delivery.endpoint_id }}>
      <Address url={delivery.url} />
    </TextLink>
  );
}

/** The subject of the event, as a link if there is a page for it. */
function Subject({ body }: { body: string }) {
  const id = subjectOf(body);
  if (id === undefined) return <span>A test</span>;
  if (!id.startsWith('gen_')) return <code>{id}</code>;
  return (
    <TextLink to="/generations/$id" params={{ id }}>
      <span data-whole-row="true">{id}</span>
    </TextLink>
  );
}

function Resend({ delivery }: { delivery: DeliveryDetail }) {
  const queryClient = useQueryClient();
  const resend = useMutation({
    mutationFn: () => callConsole('resendDelivery', { params: { id: delivery.id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast('An extra attempt is on its way.');
    },
  });
  const wait = useRetryCountdown(resend.error);
  if (delivery.status === 'ended') return null;
  return (
    <Button
      leftSection={<Icon name="send" size={14} />}
      loading={resend.isPending}
      disabled={wait > 0}
      onClick={() => resend.mutate()}
    >
      {wait > 0 ? `Resend in ${wait} s` : 'Resend'}
    </Button>
  );
}
