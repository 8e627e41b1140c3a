import {
  ActionIcon,
  Checkbox,
  Group,
  NumberInput,
  Select,
  Table,
  TagsInput,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import type { Plan } from '@renderkit/contract/studio/administration/lists.ts';
import type { ReactNode } from 'react';
import { formatCount } from '../../../format/numbers.ts';
import { Icon } from '../../../ui/Icon.tsx';
import classes from './lists.module.css';
import type { useEditedList } from './use-edited-list.ts';

type PlansTableProps = {
  plans: ReturnType<typeof useEditedList<Plan>>;
  /** Number of accounts by plan key. */
  accounts: Readonly<Record<string, number>>;
};

type CellProps = { plan: Plan; label: string; onChange: (change: Partial<Plan>) => void };
type Row = { title: string; note?: string; cell: (props: CellProps) => ReactNode };

/**
 * A column for each plan, a row for each value of a plan. On narrow screens, the values of a row are below it, each
 * with the name of its plan. Roles are explicit, because browsers drop them when a table is not displayed as a table.
 */
export function PlansTable({ plans, accounts }: PlansTableProps) {
  return (
    <div className={classes['frame']} role="region" aria-label="Plans" tabIndex={0}>
      <Table aria-label="Plans" role="table" className={classes['plans'] ?? ''}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            <Table.Th scope="col" role="columnheader">
              <span className={classes['visuallyHidden']}>What it says</span>
            </Table.Th>
            {plans.items.map((plan, at) => (
              <Table.Th key={at} scope="col" role="columnheader">
                <PlanHead
                  plan={plan}
                  accounts={accounts[plan.key] ?? 0}
                  isFirst={at === 0}
                  onAdvance={() => plans.advance(at)}
                  {...(plans.items.length > 1 && { onRemove: () => plans.remove(at) })}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map(({ title, note, cell }) => (
            <Table.Tr key={title} role="row">
              <Table.Th scope="row" role="rowheader">
                {title}
                {note !== undefined && (
                  <Text fz="xs" c="dimmed" fw={400}>
                    {note}
                  </Text>
                )}
              </Table.Th>
              {plans.items.map((plan, at) => (
                <Table.Td key={at} role="cell" data-title={plan.name}>
                  {cell({
                    plan,
                    label: `${title} of ${plan.name}`,
                    onChange: (change) => plans.change(at, change),
                  })}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type PlanHeadProps = {
  plan: Plan;
  accounts: number;
  isFirst: boolean;
  onAdvance: () => void;
  onRemove?: () => void;
};

function PlanHead({ plan, accounts, isFirst, onAdvance, onRemove }: PlanHeadProps) {
  return (
    <Group justify="space-between" wrap="nowrap" gap={4}>
      <div>
        <Text fz="sm" fw={600} c="var(--mantine-color-text)">
          {plan.name}
        </Text>
        <Text fz="xs" c="dimmed">
          {formatCount(accounts, 'account')}
          {isFirst && ', and new ones'}
        </Text>
      </div>
      <Group gap={2} wrap="nowrap">
        {!isFirst && (
          <Tooltip label="Move to the left">
            <ActionIcon aria-label={`Move ${plan.name} to the left`} onClick={onAdvance}>
              <Icon name="left" size={14} />
            </ActionIcon>
          </Tooltip>
        )}
        {onRemove !== undefined && (
          <Tooltip label="Remove">
            <ActionIcon aria-label={`Remove ${plan.name}`} onClick={onRemove}>
              <Icon name="trash" size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    </Group>
  );
}

const gigabyte = 2 ** 30;

const rows: Row[] = [
  {
    title: 'Key',
    note: 'Programs read it as the tier.',
    cell: (props) => <TextCell {...props} field="key" />,
  },
  { title: 'Name', cell: (props) => <TextCell {...props} field="name" /> },
  {
    title: 'Credits a month',
    cell: ({ plan, label, onChange }) => (
      <NumberCell
        label={label}
        value={plan.monthly_credits}
        decimals={3}
        onChange={(credits) => onChange({ monthly_credits: credits })}
      />
    ),
  },
  limitRow('At once, all together', 'overall'),
  limitRow('Images at once', 'image'),
  limitRow('Edits at once', 'edit'),
  limitRow('Videos at once', 'video'),
  {
    title: 'Storage in GB',
    cell: ({ plan, label, onChange }) => (
      <NumberCell
        label={label}
        value={Number((plan.storage_bytes / gigabyte).toFixed(3))}
        decimals={3}
        onChange={(size) => onChange({ storage_bytes: Math.round(size * gigabyte) })}
      />
    ),
  },
  {
    title: 'Weight',
    note: 'Its share of busy engines; 1 is usual.',
    cell: ({ plan, label, onChange }) => (
      <NumberCell
        label={label}
        value={plan.weight}
        min={0.01}
        decimals={2}
        onChange={(weight) => onChange({ weight })}
      />
    ),
  },
  {
    title: 'A stopped generation gives back',
    cell: ({ plan, label, onChange }) => (
      <Select
        aria-label={label}
        size="xs"
        allowDeselect={false}
        data={[
          { value: 'none', label: 'Nothing' },
          { value: 'full', label: 'Its whole price' },
        ]}
        value={plan.stop_refund}
        onChange={(refund) => onChange({ stop_refund: refund === 'full' ? 'full' : 'none' })}
      />
    ),
  },
  capabilityRow('Uploads', 'uploads'),
  capabilityRow('Uploads of audio', 'audio_upload'),
  capabilityRow('Uploads of video', 'video_upload'),
  capabilityRow('Models of their own', 'custom_models'),
  {
    title: 'Characters from',
    note: 'What they can be made of.',
    cell: ({ plan, label, onChange }) => (
      <TagsInput
        aria-label={label}
        size="xs"
        maxTags={20}
        value={plan.capabilities.character_creation_modes}
        onChange={(modes) =>
          onChange({ capabilities: { ...plan.capabilities, character_creation_modes: modes } })
        }
      />
    ),
  },
];

function limitRow(title: string, kind: keyof Plan['limits']): Row {
  return {
    title,
    cell: ({ plan, label, onChange }) => (
      <NumberCell
        label={label}
        value={plan.limits[kind]}
        onChange={(limit) => onChange({ limits: { ...plan.limits, [kind]: limit } })}
      />
    ),
  };
}

type Switch = 'uploads' | 'audio_upload' | 'video_upload' | 'custom_models';

function capabilityRow(title: string, capability: Switch): Row {
  return {
    title,
    cell: ({ plan, label, onChange }) => (
      <Checkbox
        aria-label={label}
        checked={plan.capabilities[capability]}
        onChange={(event) =>
          onChange({ capabilities: { ...plan.capabilities, [capability]: event.currentTarget.checked } })
        }
      />
    ),
  };
}

function TextCell({ plan, label, field, onChange }: CellProps & { field: 'key' | 'name' }) {
  return (
    <TextInput
      aria-label={label}
      size="xs"
      value={plan[field]}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
    />
  );
}

type NumberCellProps = {
  label: string;
  value: number;
  min?: number;
  decimals?: number;
  onChange: (value: number) => void;
};

function NumberCell({ label, value, min = 0, decimals = 0, onChange }: NumberCellProps) {
  return (
    <NumberInput
      aria-label={label}
      size="xs"
      min={min}
      decimalScale={decimals}
      allowNegative={false}
      thousandSeparator=","
      value={value}
      onChange={(typed) => onChange(Number(typed))}
    />
  );
}
