import type { Database } from '@renderkit/server-kit/db/database.ts';

export type QueuedRow = { queued_image: number; queued_edit: number; queued_video: number };

/**
 * Returns how many jobs of the account wait in our queue, per lane. In `service/sql/functions`,
 * `insert_generations.sql` adds to these counts and `move_generations.sql` subtracts.
 */
export async function readQueued(database: Database, accountId: string): Promise<QueuedRow> {
  const rows = await database.rows<QueuedRow>(
    'select queued_image, queued_edit, queued_video from accounts where id = $1',
    [accountId],
    'account_queued',
  );
  return rows[0] ?? { queued_image: 0, queued_edit: 0, queued_video: 0 };
}
