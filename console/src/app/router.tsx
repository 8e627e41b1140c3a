import { createRouter } from '@tanstack/react-router';
import { queryClient, whenSignedOut } from './client.ts';
import { routeTree } from './routes.ts';
import { parseSearch, stringifySearch } from './search-values.ts';
import { PageFault, PageLoading } from './PageStates.tsx';

export const router = createRouter({
  routeTree,
  basepath: '/console',
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  scrollRestoration: true,
  defaultErrorComponent: PageFault,
  defaultPendingComponent: PageLoading,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

whenSignedOut(() => {
  // What the next person may not see.
  queryClient.clear();
  if (router.state.location.pathname.startsWith('/sign')) return;
  const { pathname, search } = globalThis.location;
  void router.navigate({
    to: '/sign-in',
    search: { return_to: `${pathname}${search}` },
    replace: true,
  });
});

// Reading goes on at the heading of the new page, as it would after a page load.
router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
  if (!pathChanged || fromLocation === undefined) return;
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
});
