import type { UploadRow } from '@renderkit/contract/console/schemas/storage.ts';
import { latestUsesShown, maxUsesCounted } from '@renderkit/contract/console/limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { isoTime } from '../iso-time.ts';
import { selectUploads, sumHidden } from './list-store.ts';
import { presentUpload } from './present.ts';
import { keptDays } from './sweeps.ts';

/** A page of an account's uploads, the newest first, each with the generations that name it and how long it stays. */
export async function listUploads(
  database: Database,
  page: { accountId: string; offset: number; limit: number },
): Promise<UploadRow[]> {
  const rows = await selectUploads(database, {
    ...page,
    keptDays,
    latestUses: latestUsesShown,
    mostUses: maxUsesCounted,
  });
  return rows.map((row) => ({
    object: 'upload_row',
    upload: presentUpload(row),
    kept_until: row.kept_until === null ? null : isoTime(row.kept_until),
    uses: { count: row.uses, latest: row.latest },
  }));
}

/** Bytes of masks and imports that single generations brought, and that go by themselves. */
export function readTemporaryBytes(database: Database, accountId: string): Promise<number> {
  return sumHidden(database, accountId);
}
