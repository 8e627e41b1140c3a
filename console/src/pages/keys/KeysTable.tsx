import { ActionIcon, Menu, Progress, Text, Tooltip } from '@mantine/core';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import { creditsText } from '../../format/numbers.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
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
          hideTitle: true,
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
        <Text fz="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
          {key.prefix}…
        </Text>
      </div>
    ),
  },
  { title: 'Status', cell: (key) => <StatusBadge status={key.status} /> },
  { title: 'Scopes', wideOnly: true, cell: (key) => <Scopes granted={key.scopes} /> },
  { title: 'Spent today', cell: (key) => <Spend apiKey={key} /> },
  { title: 'Requests a minute', wideOnly: true, align: 'right', cell: (key) => creditsText(key.rate_limit) },
  {
    title: 'Last used',
    cell: (key) => (
      <Nowrap>
        <Time at={key.last_used_at} none="Never" relative />
      </Nowrap>
    ),
  },
  {
    title: 'Ends',
    wideOnly: true,
    cell: (key) => (
      <Nowrap>
        <Ending apiKey={key} />
      </Nowrap>
    ),
  },
];

function Nowrap({ children }: { children: React.ReactNode }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{children}</span>;
}

function Ending({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked_at !== null) return <Time at={apiKey.revoked_at} />;
  return <Time at={apiKey.expires_at} none="Never" />;
}

function Scopes({ granted }: { granted: ApiKey['scopes'] }) {
  if (granted.length === scopes.length) return <span>All</span>;
  return <span>{granted.join(', ')}</span>;
}

/** Spend against the budget, as a number and a bar. */
function Spend({ apiKey: { spent_today: spent, daily_budget: budget } }: { apiKey: ApiKey }) {
  if (budget === null) return <span>{creditsText(spent)}</span>;
  const share = budget === 0 ? 100 : Math.min(100, (spent / budget) * 100);
  const colour = share >= 100 ? 'var(--rk-bad)' : share >= 80 ? 'var(--rk-wait)' : 'var(--rk-good)';
  return (
    <Tooltip label={`${Math.round(share)} % of the daily budget`}>
      <div style={{ minWidth: '6.5rem' }}>
        <Text fz="sm" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
          {creditsText(spent)} of {creditsText(budget)}
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
