import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import { adoptRender, findOldRenders, lockAccount } from './submission-store.ts';
import { waitingOf } from './waiting.ts';

const adoptedAtOnce = 50;

/**
 * Takes over renders that the release before accepted, which wait as jobs of a queue, each exactly once: the job goes and
 * the render waits for a backend in one transaction. One that a worker of that release is at ends first.
 */
export async function adoptRenders({
  database,
  catalog,
}: {
  database: Database;
  catalog: Catalog;
}): Promise<void> {
  for (const { id, account_id, request, model_version } of await findOldRenders(database, adoptedAtOnce)) {
    const published = catalog.current().models.get(request?.model ?? '');
    const version = model_version ?? published?.version;
    const model = request && version !== undefined && (await catalog.version(request.model, version));
    // Its account is being erased, or its model is gone for the moment: it stays where it is.
    if (!request || !model) continue;
    await database.transaction(async (transaction) => {
      await lockAccount(transaction, account_id);
      await adoptRender(transaction, id, model.version, waitingOf(model, request, id));
    });
  }
}
