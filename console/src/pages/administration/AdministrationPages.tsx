import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { administrationQuery } from '../../session/administration.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

/**
 * The pages of administrators. Other people see "not found" instead. The studio itself refuses the calls behind these
 * pages. `askerOf` in `studio/src/administration/asker.ts` refuses them.
 */
export function AdministrationPages() {
  const { data, error, refetch } = useQuery(administrationQuery);
  if (data === undefined)
    return (
      <Page title="Administration">
        {error === null ? (
          <ListSkeleton />
        ) : (
          <ProblemAlert
            error={error}
            title="It could not be asked whether these pages are for you"
            onRetry={() => void refetch()}
          />
        )}
      </Page>
    );
  if (data.offered && data.administrator) return <Outlet />;
  return (
    <Page title="Not found">
      <EmptyState
        icon="search"
        title="There is no page at this address for your account"
        action={<ButtonLink to="/">Go to the overview</ButtonLink>}
      >
        Some pages are for administrators. Whoever runs this platform makes an account one.
      </EmptyState>
    </Page>
  );
}
