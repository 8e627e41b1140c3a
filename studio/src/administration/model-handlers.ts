import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { DriverPool } from '../backends/driver-pool.ts';
import { findingsByMachines } from './ask-machines.ts';
import type { AdministrationHandlers } from './handler.ts';
import {
  compareVersions,
  findModel,
  listManagedModels,
  offerVersion,
  showManagedModel,
} from './managed-models.ts';
import { pauseModel, resumeModel, retireModel } from './models.ts';

/** Time for backends to report what they have. */
const checkMs = 30_000;

export type ModelDependencies = { database: Database; drivers: DriverPool; mediaUrl: string };

/** The operations of administrators on existing models, with the functions of the operator's commands. */
export function modelHandlers({
  database,
  drivers,
  mediaUrl,
}: ModelDependencies): Pick<
  AdministrationHandlers,
  | 'listManagedModels'
  | 'getManagedModel'
  | 'diffModel'
  | 'publishModel'
  | 'pauseModel'
  | 'resumeModel'
  | 'retireModel'
> {
  const detail = (id: string) => showManagedModel(database, id, mediaUrl);
  return {
    listManagedModels: async () => ({ models: await listManagedModels(database, mediaUrl) }),
    getManagedModel: ({ params }) => detail(params.id),
    diffModel: ({ params, query }) => compareVersions(database, params.id, query),
    publishModel: ({ params: { id }, body: { version, price_millicredits: price }, asker }) =>
      offerVersion(
        database,
        {
          id,
          ...(version !== undefined && { version }),
          ...(price !== undefined && { priceMillicredits: price }),
        },
        asker,
        findingsByMachines(database, { drivers, withinMs: checkMs }),
      ),
    pauseModel: async ({ params: { id }, body: { reason }, asker }) => {
      await findModel(database, id);
      await pauseModel(database, { id, reason }, asker.actor);
      return detail(id);
    },
    resumeModel: async ({ params: { id }, asker }) => {
      await findModel(database, id);
      await resumeModel(database, id, asker.actor);
      return detail(id);
    },
    retireModel: async ({ params: { id }, asker }) => {
      await findModel(database, id);
      await retireModel(database, id, asker.actor);
      return detail(id);
    },
  };
}
