import type { LibraryItem } from '@renderkit/contract/console/schemas/library.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { consoleQuery } from '../../api/queries.ts';
import { momentsOf } from '../../format/days.ts';
import { MediaLightbox } from '../../media/MediaLightbox.tsx';
import { itemOfAsset } from '../../media/media-item.ts';
import { NoMatches } from '../../ui/Filters.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { ItemDetails } from './ItemDetails.tsx';
import { ItemGrid, ItemGridLoading } from './ItemGrid.tsx';
import { LibraryFilters } from './LibraryFilters.tsx';
import { SelectionBar } from './SelectionBar.tsx';
import type { LibrarySearch } from './search.ts';
import { useSelection } from './use-selection.ts';

const pageSize = 60;

type LibraryViewProps = {
  search: LibrarySearch;
  /** Writes filters, page and shown item to the address. `replace`: without a new entry in the browser's history. */
  onSearch: (search: LibrarySearch, replace: boolean) => void;
  /** Set on the page of a project, to show only this project. */
  project?: string;
  /** Shown when the list is empty without a filter. */
  empty: ReactNode;
};

/** Items of the library: filters, the grid, actions on the chosen items, and one item shown large. */
export function LibraryView({ search, onSearch, project, empty }: LibraryViewProps) {
  const { item: shown, page, ...filters } = search;
  const { from, to, ...others } = filters;
  const moments = momentsOf({ from, to });
  const list = useQuery(
    consoleQuery('listLibraryItems', {
      query: {
        ...others,
        ...(project !== undefined && { project_id: project }),
        ...(moments.from !== undefined && { made_from: moments.from }),
        ...(moments.before !== undefined && { made_before: moments.before }),
        page,
        limit: pageSize,
      },
    }),
  );
  const items = list.data?.data ?? [];
  const selection = useSelection(items.map(({ asset }) => asset.id));
  const show = (change: LibrarySearch, replace = false) =>
    onSearch({ ...search, page: undefined, item: undefined, ...change }, replace);
  const filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <>
      <LibraryFilters search={filters} onShow={show} withProjects={project === undefined} />
      {list.error !== null && (
        <ProblemAlert
          error={list.error}
          title="The library could not be read"
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isPending && <ItemGridLoading />}
      {list.data?.data.length === 0 &&
        (filtered ? (
          <NoMatches title="Nothing in the library is like that" onClear={() => onSearch({}, false)}>
            The search looks for words of prompts. Try other words, or fewer filters.
          </NoMatches>
        ) : (
          empty
        ))}
      {items.length > 0 && (
        <ItemGrid
          items={items}
          stale={list.isPlaceholderData}
          selection={selection}
          onShow={(id) => show({ page, item: id })}
        />
      )}
      {list.data !== undefined && (
        <Pager page={list.data.page} hasMore={list.data.has_more} onPage={(next) => show({ page: next })} />
      )}
      <SelectionBar items={items} selection={selection} />
      <Viewer
        items={items}
        shown={shown}
        // Only opening an item adds to the browser's history, not moving to another item.
        onShow={(id) => show({ page, item: id }, shown !== undefined)}
      />
    </>
  );
}

type ViewerProps = {
  items: readonly LibraryItem[];
  shown: string | undefined;
  onShow: (id: string | undefined) => void;
};

/** Shows one item large, with its neighbours. An item from a link that is not on this page is shown alone. */
function Viewer({ items, shown, onShow }: ViewerProps) {
  const elsewhere = shown !== undefined && !items.some(({ asset }) => asset.id === shown);
  const alone = useQuery({
    ...consoleQuery('listLibraryItems', { query: { id: shown ?? '' } }),
    enabled: elsewhere,
    placeholderData: undefined,
  });
  const among = elsewhere ? (alone.data?.data ?? []) : items;
  const item = among.find(({ asset }) => asset.id === shown);
  return (
    <MediaLightbox
      items={among.map(({ asset }) => itemOfAsset(asset))}
      shown={shown}
      onShow={onShow}
      details={() => item !== undefined && <ItemDetails item={item} onDeleted={() => onShow(undefined)} />}
    />
  );
}
