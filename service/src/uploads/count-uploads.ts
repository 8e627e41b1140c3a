import type { Database } from '@renderkit/server-kit/db/database.ts';
import { countUnderWay, type UploadCounts } from './store.ts';

/** Uploads that something is still to be done with, over all accounts, and files that should have been removed by now. */
export function countUploads(database: Database): Promise<UploadCounts> {
  return countUnderWay(database);
}
