import { Outlet } from '@tanstack/react-router';
import { useAdministrator } from '../../session/administration.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';

/** The pages of administrators; for everybody else they are not there. The studio refuses the calls behind them by itself. */
export function AdministrationPages() {
  const isAdministrator = useAdministrator();
  if (isAdministrator === undefined)
    return (
      <Page title="Administration">
        <ListSkeleton />
      </Page>
    );
  if (isAdministrator) return <Outlet />;
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
