import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import { adoptRender, findOldRenders, lockAccount } from './submission-store.ts';
import { waitingOf } from './waiting.ts';

const adoptedAtOnce = 50;

/**
 * Takes over renders that the release before accepted and that wait as jobs of its queue. One transaction removes the
 * job and lets the render wait for a backend, so each render is taken over exactly once. Leaves out a render while a
 * worker of that release runs it.
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
    // The account is being erased, or the model is gone for the moment: the render stays in the queue.
    if (!request || !model) continue;
    await database.transaction(async (transaction) => {
      await lockAccount(transaction, account_id);
      await adoptRender(transaction, id, model.version, waitingOf(model, request, id));
    });
  }
}
