import { ActionIcon, Menu, Progress, Text, Tooltip } from '@mantine/core';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import { formatCredits } from '../../format/numbers.ts';
import { type Column, DataTable, NoWrap } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';

type KeysTableProps = {
  keys: readonly ApiKey[];
  onEdit: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
};

export function KeysTable({ keys, onEdit, onRevoke }: KeysTableProps) {
  return (
    <DataTable
      label="API keys"
      rows={keys}
      rowKey={(key) => key.id}
      columns={[
        ...columns,
        {
          title: 'Actions',
          controls: true,
          align: 'right',
          cell: (key) =>
            key.status === 'active' && <KeyMenu apiKey={key} onEdit={onEdit} onRevoke={onRevoke} />,
        },
      ]}
    />
  );
}

const columns: Column<ApiKey>[] = [
  {
    title: 'Name',
    cell: (key) => (
      <div>
        <Text fz="sm" fw={560} style={{ overflowWrap: 'anywhere' }}>
          {key.name}
        </Text>
        <Text fz="xs" c="dimmed" ff="monospace">
          <NoWrap>{key.prefix}…</NoWrap>
        </Text>
      </div>
    ),
  },
  { title: 'Status', cell: (key) => <StatusBadge status={key.status} /> },
  { title: 'Scopes', ownLine: true, cell: (key) => <Scopes granted={key.scopes} /> },
  { title: 'Spent today', minWidth: '8rem', cell: (key) => <Spend apiKey={key} /> },
  {
    title: 'Requests a minute',
    align: 'right',
    cell: (key) => formatCredits(key.rate_limit),
  },
  {
    title: 'Last used',
    cell: (key) => (
      <NoWrap>
        <Time at={key.last_used_at} none="Never" relative />
      </NoWrap>
    ),
  },
  {
    title: 'Ends',
    cell: (key) => (
      <NoWrap>
        <Ending apiKey={key} />
      </NoWrap>
    ),
  },
];

function Ending({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked_at !== null) return <Time at={apiKey.revoked_at} />;
  return <Time at={apiKey.expires_at} none="Never" />;
}

function Scopes({ granted }: { granted: ApiKey['scopes'] }) {
  if (granted.length === scopes.length) return <span>All</span>;
  return <span>{granted.join(', ')}</span>;
}

/** Spend against the budget, as a number and a bar. `service/sql/functions/committed_today.sql` computes the spend. */
function Spend({ apiKey: { spent_today: spent, daily_budget: budget } }: { apiKey: ApiKey }) {
  if (budget === null) return <span>{formatCredits(spent)}</span>;
  const share = budget === 0 ? 100 : Math.min(100, (spent / budget) * 100);
  const colour = share >= 100 ? 'var(--rk-bad)' : share >= 80 ? 'var(--rk-wait)' : 'var(--rk-good)';
  return (
    <Tooltip label={`${Math.round(share)} % of the daily budget`}>
      <div>
        <Text fz="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <NoWrap>
            {formatCredits(spent)} of {formatCredits(budget)}
          </NoWrap>
        </Text>
        <Progress value={share} size={4} mt={3} color={colour} aria-label="Share of the daily budget spent" />
      </div>
    </Tooltip>
  );
}

function KeyMenu({ apiKey, onEdit, onRevoke }: Omit<KeysTableProps, 'keys'> & { apiKey: ApiKey }) {
  return (
    <Menu position="bottom-end" width={210} shadow="md">
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${apiKey.name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="edit" />} onClick={() => onEdit(apiKey)}>
          Edit name and limits
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="trash" />} c="var(--rk-bad)" onClick={() => onRevoke(apiKey)}>
          Revoke key
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
