import type { ProviderCost } from '@renderkit/contract/studio/administration/backends.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../../../api/queries.ts';
import { formatCredits } from '../../../format/numbers.ts';
import { type Column, DataTable, NoWrap } from '../../../ui/DataTable.tsx';
import { Section } from '../../../ui/Section.tsx';
import { formatMoney } from './Cost.tsx';

/**
 * Shows the providers' costs of the last 30 days, and what users paid for the outputs. Shows nothing without costs.
 * `studio/sql/functions/settle_cost.sql` records the costs.
 */
export function ProviderCosts() {
  const { data } = useQuery(consoleQuery('listProviderCosts', {}));
  if (data === undefined || data.costs.length === 0) return null;
  return (
    <Section title="Costs of the last 30 days" card={false}>
      <DataTable
        label="Costs of the last 30 days"
        rows={data.costs}
        rowKey={({ day, backend }) => `${day} ${backend}`}
        columns={columns}
      />
    </Section>
  );
}

const columns: Column<ProviderCost>[] = [
  { title: 'Day (UTC)', cell: ({ day }) => <NoWrap>{day}</NoWrap> },
  { title: 'Backend', cell: ({ backend }) => backend },
  { title: 'Jobs', align: 'right', cell: ({ jobs }) => jobs },
  {
    title: 'Spent',
    align: 'right',
    cell: ({ spent, currency }) => <Money amount={spent} currency={currency} />,
  },
  {
    title: 'Set aside',
    align: 'right',
    cell: ({ reserved, currency }) => <Money amount={reserved} currency={currency} />,
  },
  { title: 'Users paid', align: 'right', cell: ({ credits }) => <NoWrap>{formatCredits(credits)}</NoWrap> },
  {
    title: 'Worth',
    align: 'right',
    cell: ({ credits_worth: worth, currency }) =>
      worth === null ? '—' : <Money amount={worth} currency={currency} />,
  },
];

function Money({ amount, currency }: { amount: number; currency: string }) {
  return (
    <NoWrap>
      {formatMoney(amount)} {currency}
    </NoWrap>
  );
}
