import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isSignedOut } from '../api/errors.ts';
import { text } from '../format/search-params.ts';
import { modelSearch } from '../pages/administration/models/search.ts';
import { auditSearch } from '../pages/audit/search.ts';
import { deliveriesSearch } from '../pages/deliveries/search.ts';
import { generationsSearch } from '../pages/generations/search.ts';
import { librarySearch, projectSearch } from '../pages/library/search.ts';
import { overviewSearch } from '../pages/overview/search.ts';
import { playgroundSearch } from '../pages/playground/search.ts';
import { projectsSearch } from '../pages/projects/search.ts';
import { storageSearch } from '../pages/storage/search.ts';
import { signedInQuery } from '../session/use-signed-in.ts';
import { ConsoleError, NotFoundPage } from './PageStates.tsx';
import { Shell } from './Shell.tsx';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
});

/**
 * All routes that need a session. Without a session, opens the sign-in page, which leads back to the same address.
 * `router.tsx` handles a session that ends later.
 */
const signedIn = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: Shell,
  errorComponent: ConsoleError,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(signedInQuery);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      throw redirect({ to: '/sign-in', search: { return_to: `/console${location.href}` } });
    }
  },
});

const under = () => signedIn;

const overview = createRoute({
  getParentRoute: under,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('../pages/overview/OverviewPage.tsx'), 'OverviewPage'),
});
const playground = createRoute({
  getParentRoute: under,
  path: '/playground',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(() => import('../pages/playground/PlaygroundPage.tsx'), 'PlaygroundPage'),
});
const generations = createRoute({
  getParentRoute: under,
  path: '/generations',
  validateSearch: generationsSearch,
  component: lazyRouteComponent(() => import('../pages/generations/GenerationsPage.tsx'), 'GenerationsPage'),
});
const generation = createRoute({
  getParentRoute: under,
  path: '/generations/$id',
  component: lazyRouteComponent(() => import('../pages/generations/GenerationPage.tsx'), 'GenerationPage'),
});
const library = createRoute({
  getParentRoute: under,
  path: '/library',
  validateSearch: librarySearch,
  component: lazyRouteComponent(() => import('../pages/library/LibraryPage.tsx'), 'LibraryPage'),
});
const projects = createRoute({
  getParentRoute: under,
  path: '/projects',
  validateSearch: projectsSearch,
  component: lazyRouteComponent(() => import('../pages/projects/ProjectsPage.tsx'), 'ProjectsPage'),
});
const project = createRoute({
  getParentRoute: under,
  path: '/projects/$id',
  validateSearch: projectSearch,
  component: lazyRouteComponent(() => import('../pages/projects/ProjectPage.tsx'), 'ProjectPage'),
});
const storage = createRoute({
  getParentRoute: under,
  path: '/storage',
  validateSearch: storageSearch,
  component: lazyRouteComponent(() => import('../pages/storage/StoragePage.tsx'), 'StoragePage'),
});
const keys = createRoute({
  getParentRoute: under,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/keys/KeysPage.tsx'), 'KeysPage'),
});
const connect = createRoute({
  getParentRoute: under,
  path: '/connect',
  component: lazyRouteComponent(() => import('../pages/connect/ConnectPage.tsx'), 'ConnectPage'),
});
const webhooks = createRoute({
  getParentRoute: under,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: under,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('../pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
});
const deliveries = createRoute({
  getParentRoute: under,
  path: '/deliveries',
  validateSearch: deliveriesSearch,
  component: lazyRouteComponent(() => import('../pages/deliveries/DeliveriesPage.tsx'), 'DeliveriesPage'),
});
const delivery = createRoute({
  getParentRoute: under,
  path: '/deliveries/$id',
  component: lazyRouteComponent(() => import('../pages/deliveries/DeliveryPage.tsx'), 'DeliveryPage'),
});
const connection = createRoute({
  getParentRoute: under,
  path: '/connection',
  component: lazyRouteComponent(() => import('../pages/connection/ConnectionPage.tsx'), 'ConnectionPage'),
});
const sessions = createRoute({
  getParentRoute: under,
  path: '/sessions',
  component: lazyRouteComponent(() => import('../pages/sessions/SessionsPage.tsx'), 'SessionsPage'),
});
const audit = createRoute({
  getParentRoute: under,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/audit/AuditPage.tsx'), 'AuditPage'),
});
/**
 * Pages for administrators. Other people see "not found" instead. `console/src/session/administration.ts` decides who
 * sees them.
 */
const administration = createRoute({
  getParentRoute: under,
  path: '/administration',
  component: lazyRouteComponent(
    () => import('../pages/administration/AdministrationPages.tsx'),
    'AdministrationPages',
  ),
});
const belowAdministration = () => administration;
const backends = createRoute({
  getParentRoute: belowAdministration,
  path: '/backends',
  component: lazyRouteComponent(
    () => import('../pages/administration/backends/BackendsPage.tsx'),
    'BackendsPage',
  ),
});
const backend = createRoute({
  getParentRoute: belowAdministration,
  path: '/backends/$name',
  component: lazyRouteComponent(
    () => import('../pages/administration/backends/BackendPage.tsx'),
    'BackendPage',
  ),
});
const models = createRoute({
  getParentRoute: belowAdministration,
  path: '/models',
  component: lazyRouteComponent(() => import('../pages/administration/models/ModelsPage.tsx'), 'ModelsPage'),
});
const model = createRoute({
  getParentRoute: belowAdministration,
  path: '/models/$id',
  validateSearch: modelSearch,
  component: lazyRouteComponent(() => import('../pages/administration/models/ModelPage.tsx'), 'ModelPage'),
});
const plans = createRoute({
  getParentRoute: belowAdministration,
  path: '/plans',
  component: lazyRouteComponent(() => import('../pages/administration/lists/PlansPage.tsx'), 'PlansPage'),
});
const styles = createRoute({
  getParentRoute: belowAdministration,
  path: '/styles',
  component: lazyRouteComponent(() => import('../pages/administration/lists/StylesPage.tsx'), 'StylesPage'),
});
const docs = createRoute({
  getParentRoute: under,
  path: '/docs',
  component: lazyRouteComponent(() => import('../pages/docs/DocsPage.tsx'), 'DocsPage'),
});
const docsPage = createRoute({
  getParentRoute: under,
  path: '/docs/$page',
  component: lazyRouteComponent(() => import('../pages/docs/DocsPage.tsx'), 'DocsPage'),
});
/** All other addresses. */
const notFound = createRoute({ getParentRoute: under, path: '/$', component: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search) => ({ return_to: text(search['return_to'], 2_000) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/SignInPage.tsx'), 'SignInPage'),
});
const signedInAgain = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in-again',
  component: lazyRouteComponent(() => import('../pages/sign-in/SignedInAgainPage.tsx'), 'SignedInAgainPage'),
});
const signedOut = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-out',
  component: lazyRouteComponent(() => import('../pages/sign-in/SignedOutPage.tsx'), 'SignedOutPage'),
});
const signInFailed = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in-failed',
  validateSearch: (search) => ({
    reason: text(search['reason']),
    return_to: text(search['return_to'], 2_000),
  }),
  component: lazyRouteComponent(() => import('../pages/sign-in/SignInFailedPage.tsx'), 'SignInFailedPage'),
});

export const routeTree = rootRoute.addChildren([
  signedIn.addChildren([
    overview,
    playground,
    generations,
    generation,
    library,
    projects,
    project,
    storage,
    keys,
    connect,
    webhooks,
    webhook,
    deliveries,
    delivery,
    connection,
    sessions,
    audit,
    administration.addChildren([backends, backend, models, model, plans, styles]),
    docs,
    docsPage,
    notFound,
  ]),
  signIn,
  signedInAgain,
  signedOut,
  signInFailed,
]);
