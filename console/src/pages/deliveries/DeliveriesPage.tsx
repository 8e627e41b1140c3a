import { Button } from '@mantine/core';
import { eventTypes } from '@renderkit/contract/v1/event-types.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { consoleQuery, live } from '../../api/queries.ts';
import { DeliveriesTable } from '../../deliveries/DeliveriesTable.tsx';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar, FilterSelect, NoMatches } from '../../ui/Filters.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { statusLabel } from '../../ui/StatusBadge.tsx';
import { type DeliveriesSearch, deliveriesSearch, deliveryStatuses } from './search.ts';

const route = getRouteApi('/signed-in/deliveries');

export function DeliveriesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (change: DeliveriesSearch) =>
    void navigate({ search: deliveriesSearch({ ...search, page: undefined, ...change }) });
  const deliveries = useQuery({
    ...consoleQuery('listDeliveries', { query: search }),
    refetchInterval: live,
  });
  const list = deliveries.data;
  const filtered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page title="Deliveries" description="Every event that was sent, or is to be sent, to your endpoints.">
      <Filters search={search} onShow={show} />
      {deliveries.error !== null && (
        <ProblemAlert error={deliveries.error} title="The deliveries could not be read" />
      )}
      {deliveries.isPending && <ListSkeleton />}
      {list?.data.length === 0 &&
        (filtered ? (
          <NoMatches title="No delivery is like that" onClear={() => void navigate({ search: {} })}>
            Choose other filters, or none.
          </NoMatches>
        ) : (
          <None />
        ))}
      {list !== undefined && list.data.length > 0 && (
        <DeliveriesTable
          deliveries={list.data}
          stale={deliveries.isPlaceholderData}
          footer={<Pager page={list.page} hasMore={list.has_more} onPage={(page) => show({ page })} />}
        />
      )}
    </Page>
  );
}

type FiltersProps = { search: DeliveriesSearch; onShow: (change: DeliveriesSearch) => void };

function Filters({ search, onShow }: FiltersProps) {
  const webhooks = useQuery(consoleQuery('listWebhooks', {}));
  const endpoints = (webhooks.data?.data ?? []).map(({ id, url }) => ({ value: id, label: url }));
  const known = endpoints.some(({ value }) => value === search.endpoint_id);
  if (search.endpoint_id !== undefined && !known)
    endpoints.push({ value: search.endpoint_id, label: search.endpoint_id });
  return (
    <FilterBar>
      <FilterSelect
        label="Status"
        placeholder="Every status"
        width="9.5rem"
        options={deliveryStatuses.map((value) => ({ value, label: statusLabel(value) }))}
        value={search.status}
        onChange={(status) => onShow({ status: status })}
      />
      <FilterSelect
        label="Event type"
        placeholder="Every event"
        width="12rem"
        options={eventTypes}
        value={search.event_type}
        onChange={(type) => onShow({ event_type: type })}
      />
      <FilterSelect
        label="Endpoint"
        placeholder="Every endpoint"
        width="17rem"
        options={endpoints}
        value={search.endpoint_id}
        onChange={(id) => onShow({ endpoint_id: id })}
      />
      {search.event_id !== undefined && (
        <Button
          variant="default"
          rightSection={<Icon name="close" size={12} />}
          onClick={() => onShow({ event_id: undefined })}
          aria-label={`Show deliveries of other events than ${search.event_id} too`}
        >
          {search.event_id}
        </Button>
      )}
    </FilterBar>
  );
}

function None() {
  return (
    <EmptyState
      icon="deliveries"
      title="No deliveries yet"
      action={<ButtonLink to="/webhooks">Go to webhooks</ButtonLink>}
    >
      Add an endpoint and send a test to it: what was sent, and what your receiver answered, is kept here.
    </EmptyState>
  );
}
