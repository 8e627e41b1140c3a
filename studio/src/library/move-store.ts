import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Moves items into a project of the account, or out of any project if `project` is `null`. Returns the ids of the items
 * that are in the project now: a saved frame is not moved when the project already has the same frame. Returns
 * `undefined` when the account has no such project.
 */
export async function moveAssetRows(
  database: Database,
  { account, ids, project }: { account: string; ids: readonly string[]; project: string | null },
): Promise<string[] | undefined> {
  return database.transaction(async (transaction) => {
    // Saving a frame and deleting a project lock the same row.
    await transaction.execute('select from accounts where id = $1 for update', [account]);
    if (project !== null) {
      const projects = await transaction.execute(
        'update projects set updated_at = clock() where id = $2 and account_id = $1',
        [account, project],
      );
      if (projects === 0) return undefined;
    }
    const rows = await transaction.rows<{ id: string }>(
      `update assets a set project_id = $3
       where a.account_id = $1 and a.id in (
         select (array_agg(id order by project_id is not distinct from $3 desc, id))[1] from assets
          where account_id = $1 and id = any($2)
          group by case when frame_video_id is null then id end, frame_video_id, frame_time_ms)
         and not exists (select from assets other
           where other.project_id = $3 and other.frame_video_id = a.frame_video_id
             and other.frame_time_ms = a.frame_time_ms and other.id <> a.id)
       returning a.id`,
      [account, ids, project],
    );
    return rows.map(({ id }) => id);
  });
}
