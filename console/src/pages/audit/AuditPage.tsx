import { Button, SegmentedControl, Text } from '@mantine/core';
import { auditActionNames, auditActions } from '@renderkit/contract/console/audit-actions.ts';
import type { AuditEntry } from '@renderkit/contract/console/schemas/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { consoleQuery } from '../../api/queries.ts';
import { useAdministrator } from '../../session/administration.ts';
import { Address } from '../../ui/Address.tsx';
import { type Column, DataTable, NoWrap } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar, FilterSelect } from '../../ui/Filters.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Time } from '../../ui/Time.tsx';
import { AdministrationActs } from './AdministrationActs.tsx';
import { type AuditSearch, auditSearch } from './search.ts';

const route = getRouteApi('/signed-in/audit');
const askEveryMs = 10_000;
const actors = [
  { value: 'person', label: 'By a person' },
  { value: 'operator', label: 'By the operator' },
];

/** The audit log. `service/src/identity/audit/write-audit.ts` records the actions of the account. */
export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isAdministrator = useAdministrator();
  const show = (change: Record<string, unknown>) =>
    void navigate({ search: auditSearch({ ...search, page: undefined, ...change }) });
  const ofAdministration = isAdministrator && search.of === 'administration';
  return (
    <Page
      title="Audit log"
      description={
        ofAdministration
          ? 'What was done with backends, models, plans and styles, when and by whom.'
          : 'What was done to keys, endpoints, sessions and the connection, when and by whom.'
      }
      actions={
        isAdministrator && (
          <SegmentedControl
            size="xs"
            aria-label="Whose acts"
            data={[
              { value: 'account', label: 'Your account' },
              { value: 'administration', label: 'Administration' },
            ]}
            value={search.of ?? 'account'}
            onChange={(of) => void navigate({ search: auditSearch({ of }) })}
          />
        )
      }
    >
      {ofAdministration ? (
        <AdministrationActs page={search.page} onPage={(number) => show({ page: number })} />
      ) : (
        <AccountEntries search={search} onShow={show} onShowAll={() => void navigate({ search: {} })} />
      )}
    </Page>
  );
}

type EntriesProps = FiltersProps & { onShowAll: () => void };

function AccountEntries({ search, onShow, onShowAll }: EntriesProps) {
  const { action, actor, page } = search;
  const entries = useQuery({
    ...consoleQuery('listAudit', { query: { action, actor, page } }),
    refetchInterval: askEveryMs,
  });
  const list = entries.data;
  return (
    <>
      <Filters search={search} onShow={onShow} />
      {entries.error !== null && <ProblemAlert error={entries.error} title="The log could not be read" />}
      {entries.isPending && <ListSkeleton />}
      {list?.data.length === 0 && (
        <EmptyState
          icon="audit"
          title="Nothing is written down"
          action={
            <Button variant="default" onClick={onShowAll}>
              Show everything
            </Button>
          }
        >
          Create a key or an endpoint, and it is written here. If filters are set, choose others.
        </EmptyState>
      )}
      {list !== undefined && list.data.length > 0 && (
        <DataTable
          label="Audit log"
          rows={list.data}
          rowKey={(entry) => entry.id}
          columns={columns}
          stale={entries.isPlaceholderData}
          footer={
            <Pager page={list.page} hasMore={list.has_more} onPage={(number) => onShow({ page: number })} />
          }
        />
      )}
    </>
  );
}

type FiltersProps = { search: AuditSearch; onShow: (change: Record<string, unknown>) => void };

function Filters({ search, onShow }: FiltersProps) {
  return (
    <FilterBar>
      <FilterSelect
        label="Action"
        placeholder="Every action"
        width="16rem"
        options={auditActionNames.map((name) => ({ value: name, label: auditActions[name] }))}
        value={search.action}
        onChange={(action) => onShow({ action })}
        searchable
      />
      <FilterSelect
        label="Actor"
        placeholder="By anyone"
        width="10rem"
        options={actors}
        value={search.actor}
        onChange={(actor) => onShow({ actor })}
      />
    </FilterBar>
  );
}

const columns: Column<AuditEntry>[] = [
  {
    title: 'When',
    cell: (entry) => (
      <NoWrap>
        <Time at={entry.at} />
      </NoWrap>
    ),
  },
  {
    title: 'What',
    cardHead: true,
    minWidth: '12rem',
    cell: (entry) => (
      <div>
        <Text fz="sm" fw={560}>
          {auditActions[entry.action]}
        </Text>
        {formatDetails(entry.details) !== '' && (
          <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {formatDetails(entry.details)}
          </Text>
        )}
      </div>
    ),
  },
  {
    title: 'To what',
    minWidth: '17rem',
    ownLine: true,
    cell: (entry) => (
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }} title={entry.subject_id ?? undefined}>
        {entry.subject_name === null ? (
          <SubjectId id={entry.subject_id} />
        ) : (
          <Address url={entry.subject_name} />
        )}
      </Text>
    ),
  },
  {
    title: 'By whom',
    ownLine: true,
    cell: (entry) => (entry.actor === 'operator' ? 'The operator' : (entry.email ?? '—')),
  },
];

/** Shown when the subject has no name. */
function SubjectId({ id }: { id: string | null }) {
  if (id === null) return '—';
  return (
    <Text fz="xs" c="dimmed" ff="monospace" component="span">
      {id}
    </Text>
  );
}

/** Formats details: `daily budget: 500 · canceled: 3`. */
function formatDetails(details: Record<string, string>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`)
    .join(' · ');
}
