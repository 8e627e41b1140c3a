import { getRouteApi } from '@tanstack/react-router';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Page } from '../../ui/Page.tsx';
import { LibraryView } from './LibraryView.tsx';
import { librarySearch } from './search.ts';

const route = getRouteApi('/signed-in/library');

/** The library: everything that was generated on the account. */
export function LibraryPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Library" description="Everything that was generated on your account, here or elsewhere.">
      <LibraryView
        search={search}
        onSearch={(next, replace) =>
          void navigate({
            search: librarySearch(next),
            replace,
            resetScroll: next.item === undefined && search.item === undefined,
          })
        }
        empty={<None />}
      />
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
