import { EngineError, type EngineRequest } from '@renderkit/engine-kit/engine.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Claim } from '../backends/claim-queries.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { BlobMissing, type BlobStorage, withLocalFiles } from '@renderkit/blob-storage/blob-storage.ts';
import { engineRequest, goneMessage, mediaOf } from './engine-request.ts';
import { type JobValues, jobValues } from './engine-values.ts';
import { findMaterials } from './store.ts';

/**
 * Makes the files that a render names available while `use` runs. Passes `use` the render's request to its engine and
 * the values of one of its jobs.
 * @throws EngineError if one of the files is gone
 */
export async function withMaterials<T>(
  { claim, model, route }: { claim: Claim; model: CatalogModel; route: Route },
  { database, storage, snapshot }: { database: Database; storage: BlobStorage; snapshot: CatalogSnapshot },
  use: (job: { asked: EngineRequest; values: () => JobValues }) => Promise<T>,
): Promise<T> {
  const { request } = claim;
  if (request === null) throw new EngineError('unreadable_reference', goneMessage);
  const materials = await findMaterials(database, claim.account_id, mediaOf(request));
  const keys = materials.files.map(({ storage_key }) => storage_key);
  try {
    return await withLocalFiles(storage, keys, (paths) => {
      const started = { id: claim.render_id, expected_outputs: claim.expected_outputs };
      const asked = engineRequest(started, request, model, { ...materials, paths, snapshot });
      const values = () => jobValues(claim, route, model, { request, asked, files: materials.files, paths });
      return use({ asked, values });
    });
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error;
    throw new EngineError('unreadable_reference', goneMessage, { cause: error });
  }
}
