import { Text } from '@mantine/core';
import type { Delivery } from '@renderkit/contract/console/schemas/delivery.ts';
import type { ReactNode } from 'react';
import { type Column, DataTable, NoWrap } from '../ui/DataTable.tsx';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { Time } from '../ui/Time.tsx';
import { outcomeLabel } from './delivery-labels.ts';

type DeliveriesTableProps = {
  deliveries: readonly Delivery[];
  /** Titles of columns to leave out. */
  without?: readonly string[];
  stale?: boolean;
  footer?: ReactNode;
};

export function DeliveriesTable({ deliveries, without = [], stale, footer }: DeliveriesTableProps) {
  return (
    <DataTable
      label="Deliveries"
      rows={deliveries}
      rowKey={(delivery) => delivery.id}
      columns={columns.filter(({ title }) => !without.includes(title))}
      stale={stale}
      footer={footer}
    />
  );
}

const columns: Column<Delivery>[] = [
  {
    title: 'Event',
    cell: (delivery) => (
      <NoWrap>
        <TextLink to="/deliveries/$id" params={{ id: delivery.id }} fw={560} c="var(--mantine-color-text)">
          {delivery.event_type}
        </TextLink>
      </NoWrap>
    ),
  },
  { title: 'Status', cell: (delivery) => <StatusBadge status={delivery.status} /> },
  {
    title: 'Last answer',
    cell: (delivery) => <NoWrap>{outcomeLabel(delivery.last_status, delivery.last_failure)}</NoWrap>,
  },
  { title: 'Attempts', align: 'right', cell: (delivery) => delivery.attempts },
  {
    title: 'Endpoint',
    ownLine: true,
    cell: (delivery) => (
      <Text fz="sm" c="dimmed" truncate maw="20rem" title={delivery.url}>
        {delivery.url.replace('https://', '')}
      </Text>
    ),
  },
  {
    title: 'Event happened',
    cell: (delivery) => (
      <NoWrap>
        <Time at={delivery.created_at} relative />
      </NoWrap>
    ),
  },
];
