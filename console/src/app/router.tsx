import { createRouter } from '@tanstack/react-router';
import { queryClient, whenSignedOut } from './client.ts';
import { routeTree } from './routes.ts';
import { parseSearch, stringifySearch } from '../format/search-params.ts';
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

let leaving = false;

async function leave(): Promise<void> {
  const { pathname, search } = globalThis.location;
  // Every request of a page may be told at once.
  if (leaving || pathname.startsWith('/console/sign')) return;
  leaving = true;
  const asked = { return_to: `${pathname}${search}` };
  await router.navigate({ to: '/sign-in', search: asked, replace: true });
  // What the next person may not see.
  queryClient.clear();
  leaving = false;
}
whenSignedOut(() => void leave());

// Reading goes on at the heading of the new page, as it would after a page load.
router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
  if (!pathChanged || fromLocation === undefined) return;
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
});
