import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consoleQuery, live } from '../../api/queries.ts';
import { momentsOf } from '../../format/days.ts';
import { isFinal } from '../../generations/generation-status.ts';
import { kindNames, kinds } from '../../generations/kind-labels.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { DateRange } from '../../ui/DateRange.tsx';
import { FilterBar, FilterSelect, NoMatches } from '../../ui/Filters.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { statusLabel } from '../../ui/StatusBadge.tsx';
import { BulkBar } from './BulkBar.tsx';
import { GenerationsTable } from './GenerationsTable.tsx';
import { type GenerationsSearch, generationsSearch, statuses } from './search.ts';

const route = getRouteApi('/signed-in/generations');
/** Used while nothing on the page is queued or running. */
const slowRefetchMs = 10_000;

export function GenerationsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (change: GenerationsSearch, replace = false) =>
    void navigate({ search: generationsSearch({ ...search, page: undefined, ...change }), replace });
  const { from, to, ...filters } = search;
  const moments = momentsOf({ from, to });
  const generations = useQuery({
    ...consoleQuery('listGenerationRows', {
      query: { ...filters, created_from: moments.from, created_before: moments.before },
    }),
    refetchInterval: (query) => {
      if (query.state.status === 'error') return live(query);
      const open = query.state.data?.data.some(({ generation }) => !isFinal(generation)) ?? false;
      if (open) return live(query);
      return search.page === undefined ? slowRefetchMs : false;
    },
  });
  const list = generations.data;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const filtered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page title="Generations" description="Everything that was asked for through the API and here.">
      <Filters search={search} onShow={show} rows={list?.data ?? []} />
      {generations.error !== null && (
        <ProblemAlert error={generations.error} title="The generations could not be read" />
      )}
      {generations.isPending && <ListSkeleton />}
      {list?.data.length === 0 &&
        (filtered ? (
          <NoMatches title="No generation is like that" onClear={() => void navigate({ search: {} })}>
            Choose other filters, or none.
          </NoMatches>
        ) : (
          <None />
        ))}
      {list !== undefined && list.data.length > 0 && (
        <GenerationsTable
          rows={list.data}
          chosen={chosen}
          onChoose={setChosen}
          stale={generations.isPlaceholderData}
          footer={<Pager page={list.page} hasMore={list.has_more} onPage={(page) => show({ page })} />}
        />
      )}
      <BulkBar
        rows={(list?.data ?? []).filter(({ generation }) => chosen.has(generation.id))}
        onClear={() => setChosen(new Set())}
      />
    </Page>
  );
}

type FiltersProps = {
  search: GenerationsSearch;
  onShow: (change: GenerationsSearch, replace?: boolean) => void;
  rows: readonly GenerationRow[];
};

function Filters({ search, onShow, rows }: FiltersProps) {
  const list = useQuery(consoleQuery('listKeys', {}));
  // Generations of the console have a separate key, which is not in the list of keys.
  const names = new Map(
    [...(list.data?.data ?? []), ...rows.map(({ key }) => key)].map(({ id, name }) => [id, name]),
  );
  if (search.key_id !== undefined && !names.has(search.key_id)) names.set(search.key_id, search.key_id);
  return (
    <FilterBar>
      <SearchField
        label="Search by prompt"
        text={search.search ?? ''}
        onSearch={(text) => onShow({ search: text }, true)}
      />
      <FilterSelect
        label="Status"
        placeholder="Every status"
        width="9.5rem"
        options={statuses.map((value) => ({ value, label: statusLabel(value) }))}
        value={search.status}
        onChange={(status) => onShow({ status: status })}
      />
      <FilterSelect
        label="Kind"
        placeholder="Every kind"
        width="9.5rem"
        options={kindNames.map((value) => ({ value, label: kinds[value].name }))}
        value={search.kind}
        onChange={(kind) => onShow({ kind: kind })}
      />
      <FilterSelect
        label="Key"
        placeholder="Every key"
        width="13rem"
        options={[...names].map(([value, label]) => ({ value, label }))}
        value={search.key_id}
        onChange={(id) => onShow({ key_id: id })}
      />
      <DateRange days={search} onChange={({ from, to }) => onShow({ from, to }, true)} />
    </FilterBar>
  );
}

function None() {
  return (
    <EmptyState
      icon="generations"
      title="No generations yet"
      action={
        <ButtonLink to="/playground" leftSection={<Icon name="playground" size={14} />}>
          Open the playground
        </ButtonLink>
      }
    >
      Run something in the playground, or have a program send a request with an API key.
    </EmptyState>
  );
}
