import { useQuery } from '@tanstack/react-query';
import { consoleQuery, live } from '../../api/queries.ts';
import { DeliveriesTable } from '../../deliveries/DeliveriesTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';

const shown = 10;

/** The newest deliveries to one endpoint. */
export function RecentDeliveries({ webhookId }: { webhookId: string }) {
  const deliveries = useQuery({
    ...consoleQuery('listDeliveries', { query: { endpoint_id: webhookId, limit: shown } }),
    refetchInterval: live,
  });
  return (
    <Section
      title="Newest deliveries"
      card={false}
      actions={
        <TextLink to="/deliveries" search={{ endpoint_id: webhookId }}>
          All of them
        </TextLink>
      }
    >
      {deliveries.error !== null && <ProblemAlert error={deliveries.error} />}
      {deliveries.isPending && <ListSkeleton rows={3} />}
      {deliveries.data?.data.length === 0 && (
        <EmptyState icon="deliveries" title="Nothing was sent yet">
          Send a test, or let a generation finish.
        </EmptyState>
      )}
      {deliveries.data !== undefined && deliveries.data.data.length > 0 && (
        <DeliveriesTable deliveries={deliveries.data.data} without={['Endpoint']} />
      )}
    </Section>
  );
}
