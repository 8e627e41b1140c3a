import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { v1Query } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NoMatches } from '../../ui/Filters.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { AssetGrid, AssetGridLoading } from './AssetGrid.tsx';
import { LibraryFilters } from './LibraryFilters.tsx';
import { type LibrarySearch, librarySearch } from './search.ts';

const route = getRouteApi('/signed-in/library');
const pageSize = 40;

/** Everything that was generated on the account. */
export function LibraryPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (change: LibrarySearch, replace = false) =>
    void navigate({
      search: librarySearch({ ...search, page: undefined, item: undefined, ...change }),
      replace,
      resetScroll: change.item === undefined && !('item' in change),
    });
  const { item, ...filters } = search;
  const assets = useQuery(v1Query('listAssets', { query: { ...filters, limit: pageSize } }));
  const list = assets.data;
  const { page: _, ...narrowing } = filters;
  const filtered = Object.values(narrowing).some((value) => value !== undefined);
  return (
    <Page
      title="Library"
      description="Everything that was generated on your account, here or elsewhere."
      wide
    >
      <LibraryFilters search={filters} onShow={show} />
      {assets.error !== null && (
        <ProblemAlert
          error={assets.error}
          title="The library could not be read"
          onRetry={() => void assets.refetch()}
        />
      )}
      {assets.isPending && <AssetGridLoading />}
      {list?.data.length === 0 &&
        (filtered ? (
          <NoMatches
            title="Nothing in the library is like that"
            onClear={() => void navigate({ search: {} })}
          >
            The search looks for words of prompts. Try other words, or fewer filters.
          </NoMatches>
        ) : (
          <None />
        ))}
      {list !== undefined && list.data.length > 0 && (
        <>
          <AssetGrid
            assets={list.data}
            stale={assets.isPlaceholderData}
            shown={item}
            // Only opening the lightbox adds to the browser's history, not each item in it.
            onShow={(id) => show({ page: search.page, item: id }, item !== undefined)}
          />
          <Pager page={list.page} hasMore={list.has_more} onPage={(page) => show({ page })} />
        </>
      )}
    </Page>
  );
}

function None() {
  return (
    <EmptyState
      icon="library"
      title="The library is empty"
      action={
        <ButtonLink to="/playground" leftSection={<Icon name="playground" size={14} />}>
          Open the playground
        </ButtonLink>
      }
    >
      Everything that you or your programs generate is kept here. Make a first picture in the playground.
    </EmptyState>
  );
}
