import type {
  AddBackendRequest,
  BackendDetail,
  ChangeBackendRequest,
} from '@renderkit/contract/studio/administration/backends.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { BackendError, type BackendSettings } from '../backends/backend.ts';
import type { BackendSecrets } from '../backends/backend-secrets.ts';
import { checkBackend, startFullCheck } from '../backends/check-backend.ts';
import type { DriverPool } from '../backends/driver-pool.ts';
import { listProviderCosts } from '../backends/cost-queries.ts';
import { selectFits } from '../backends/fit-queries.ts';
import {
  addBackend,
  drainBackend,
  removeBackend,
  resumeBackend,
  setBackend,
} from '../backends/manage-backends.ts';
import { requireFreshSignIn } from './asker.ts';
import type { AdministrationHandlers } from './handler.ts';
import { selectManagedBackends, selectRenderErrors } from './managed-store.ts';

export type BackendDependencies = {
  database: Database;
  secrets: BackendSecrets;
  drivers: DriverPool;
  stopping: AbortSignal;
};

/** How many days of costs are listed by default. */
const costDays = 30;

/** The operations of administrators on backends, with the functions of the operator's commands. */
export function backendHandlers(
  dependencies: BackendDependencies,
): Pick<
  AdministrationHandlers,
  | 'listBackends'
  | 'addBackend'
  | 'getBackend'
  | 'changeBackend'
  | 'checkBackend'
  | 'fullyCheckBackend'
  | 'drainBackend'
  | 'resumeBackend'
  | 'removeBackend'
  | 'listProviderCosts'
  | 'listRenderErrors'
> {
  const { database, secrets } = dependencies;
  const detail = (name: string) => readDetail(database, name);
  return {
    listBackends: async () => ({ backends: await selectManagedBackends(database) }),
    listProviderCosts: async ({ query: { days = costDays } }) => ({
      costs: await listProviderCosts(database, days),
    }),
    listRenderErrors: async ({ params: { token }, bearer }) => ({
      faults: await selectRenderErrors(database, bearer.account.id, token),
    }),
    getBackend: ({ params }) => detail(params.name),
    addBackend: async ({ body, asker }) => {
      const { name, engine } = body;
      if (engine === 'command')
        requireFreshSignIn(asker, 'A backend of the engine command runs programs on the machines of workers');
      if (body.secret !== undefined || body.headers !== undefined)
        requireFreshSignIn(asker, 'Secrets are given to a backend');
      // `addBackend` refuses an unknown engine by the name that was sent.
      const added = { name, engine: engine as EngineName, settings: settingsOf(body) };
      await addBackend(added, { database, secrets, actor: asker.actor });
      await checkBackend(name, dependencies);
      return detail(name);
    },
    changeBackend: async ({ params: { name }, body, asker }) => {
      // At another address the backend's present secrets would become known there.
      if ([body.url, body.secret, body.headers].some((one) => one !== undefined))
        requireFreshSignIn(asker, 'Secrets of a backend, and where they are sent, change');
      await setBackend(name, settingsOf(body), { database, secrets, actor: asker.actor });
      return detail(name);
    },
    checkBackend: async ({ params: { name } }) => {
      await checkBackend(name, dependencies);
      return detail(name);
    },
    fullyCheckBackend: async ({ params: { name } }) => ({
      steps: await Array.fromAsync(await startFullCheck(name, dependencies)),
    }),
    drainBackend: async ({ params: { name }, body, asker }) => {
      await drainBackend(name, body.within_seconds, { database, actor: asker.actor });
      return detail(name);
    },
    resumeBackend: async ({ params: { name }, asker }) => {
      await resumeBackend(name, { database, actor: asker.actor });
      return detail(name);
    },
    removeBackend: async ({ params: { name }, asker }) => {
      await removeBackend(name, { database, actor: asker.actor });
      return { name, removed: true };
    },
  };
}

async function readDetail(database: Database, name: string): Promise<BackendDetail> {
  const [backend] = await selectManagedBackends(database, name);
  if (backend === undefined) throw new BackendError(`There is no backend ${name}.`, { kind: 'missing' });
  const { routes } = await selectFits(database, name);
  return {
    ...backend,
    routes: routes.map(({ id, problems, ...route }) => ({ ...route, model: id, problems: [...problems] })),
  };
}

function settingsOf({
  max_cost_per_day: maxCostPerDay,
  allow_loss: allowLoss,
  ...given
}: AddBackendRequest | ChangeBackendRequest): BackendSettings {
  return { ...given, maxCostPerDay, allowLoss };
}
