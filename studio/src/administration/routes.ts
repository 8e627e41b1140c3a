import type { AdministrationOperationId } from '@renderkit/contract/studio/administration/operations.ts';
import { engineNames, localEngines } from '@renderkit/engine-kit/route.ts';
import { fullCheckOf } from '@renderkit/engine-registry/drivers.ts';
import { knownUrls } from '../backends/manage-backends.ts';
import type { Call, Handlers } from '../http/register-operations.ts';
import { askerOf } from './asker.ts';
import { auditHandlers } from './audit-handlers.ts';
import { type BackendDependencies, backendHandlers } from './backend-handlers.ts';
import { type DraftDependencies, draftHandlers } from './draft-handlers.ts';
import type { AdministrationHandlers } from './handler.ts';
import { listHandlers } from './list-handlers.ts';
import { type ModelDependencies, modelHandlers } from './model-handlers.ts';
import { refusalOf } from './refusals.ts';

type OfAdministration = Pick<Handlers, AdministrationOperationId>;

/** The operations of the operator's commands, for accounts that are administrators. */
export function administrationRoutes(
  dependencies: BackendDependencies & ModelDependencies & DraftDependencies,
): OfAdministration {
  const handlers: AdministrationHandlers = {
    getAdministration: async () => ({ engines: engines() }),
    ...backendHandlers(dependencies),
    ...modelHandlers(dependencies),
    ...draftHandlers(dependencies),
    ...listHandlers(dependencies),
    ...auditHandlers(dependencies),
  };
  return Object.fromEntries(
    Object.entries(handlers).map(([id, handler]) => [id, forAdministrators(handler as AnyHandler)]),
  ) as OfAdministration;
}

type AnyHandler = (call: Call<AdministrationOperationId> & { asker: object }) => Promise<unknown>;

function forAdministrators(handler: AnyHandler) {
  return async (call: Call<AdministrationOperationId>): Promise<unknown> => {
    const asker = askerOf(call.bearer, call.request);
    try {
      return await handler({ ...call, asker });
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

function engines() {
  return engineNames.map((name) => ({
    name,
    is_local: (localEngines as readonly string[]).includes(name),
    default_url: knownUrls[name] ?? null,
    has_full_check: fullCheckOf(name) !== undefined,
  }));
}
