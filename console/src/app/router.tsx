import { createRouter } from '@tanstack/react-router';
import { createQueryClient } from '../api/query-client.ts';
import { ownPath, pathPrefix } from '../format/own-path.ts';
import { parseSearch, stringifySearch } from '../format/search-params.ts';
import { showErrorToast } from '../ui/toasts.ts';
import { reloadAsOther } from './other-account.ts';
import { PageError, PageLoading } from './PageStates.tsx';
import { routeTree } from './routes.ts';
import { leaveFreely } from '../ui/leaving.ts';

export const queryClient = createQueryClient({
  onSignedOut: () => void leave(),
  onOtherAccount: reloadAsOther,
  onRefused: showErrorToast,
});

export const router = createRouter({
  routeTree,
  basepath: ownPath('/console'),
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  scrollRestoration: true,
  defaultErrorComponent: PageError,
  defaultPendingComponent: PageLoading,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

let leaving = false;

/** Opens the sign-in page, which leads back to this address. */
async function leave(): Promise<void> {
  const { search } = globalThis.location;
  const pathname = globalThis.location.pathname.slice(pathPrefix.length);
  // Several requests of a page may detect at once that the session has ended.
  if (leaving || pathname.startsWith('/console/sign')) return;
  leaving = true;
  leaveFreely();
  const returnTo = `${pathname}${search}`;
  await router.navigate({ to: '/sign-in', search: { return_to: returnTo }, replace: true });
  // The next person must not see these answers.
  queryClient.clear();
  leaving = false;
}

// Focuses the heading of the new page, so that a screen reader continues there as after a page load.
router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
  if (!pathChanged || fromLocation === undefined) return;
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
});
