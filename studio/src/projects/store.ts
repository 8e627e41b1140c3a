import type { Database } from '@renderkit/server-kit/db/database.ts';

export type ProjectRow = {
  id: string;
  title: string;
  updated_at: string;
  last_type: string | null;
  last_url: string | null;
  last_thumb: string | null;
  last_nsfw: boolean | null;
};

const projectRow = `p.id, p.title, iso_time(p.updated_at) as updated_at, last.type as last_type,
  last.storage_key as last_url, last.thumb_key as last_thumb, last.nsfw as last_nsfw`;
const lastAsset = `left join lateral (
  select type, storage_key, thumb_key, nsfw from assets
  where project_id = p.id and generation_type is distinct from 'frame'
  order by created_at desc, id desc limit 1) as last on true`;

/** Returns one page, newest first, and whether more follow. */
export async function listProjects(
  database: Database,
  list: { account: string; page: number; limit: number; search: string | undefined },
): Promise<{ projects: ProjectRow[]; hasMore: boolean }> {
  const rows = await database.rows<ProjectRow>(
    `select ${projectRow} from (
       select * from projects where account_id = $1 and ($2::text is null or title ilike $2)
       order by created_at desc, id desc limit $3 offset $4) as p ${lastAsset}
     order by p.created_at desc, p.id desc`,
    [
      list.account,
      list.search === undefined ? null : `%${list.search.replace(/[\\%_]/g, '\\$&')}%`,
      list.limit + 1,
      (list.page - 1) * list.limit,
    ],
  );
  return { projects: rows.slice(0, list.limit), hasMore: rows.length > list.limit };
}

export async function findProject(
  database: Database,
  account: string,
  id: string,
): Promise<ProjectRow | undefined> {
  const [row] = await database.rows<ProjectRow>(
    `select ${projectRow} from projects p ${lastAsset} where p.id = $2 and p.account_id = $1`,
    [account, id],
  );
  return row;
}

export async function insertProject(
  database: Database,
  project: { id: string; account: string; title: string },
): Promise<void> {
  await database.rows('insert into projects (id, account_id, title) values ($1, $2, $3)', [
    project.id,
    project.account,
    project.title,
  ]);
}

/** Returns `false` when there is no such project. */
export async function updateTitle(
  database: Database,
  { account, id, title }: { account: string; id: string; title: string },
): Promise<boolean> {
  const rowCount = await database.execute(
    'update projects set title = $3, updated_at = clock() where id = $2 and account_id = $1',
    [account, id, title],
  );
  return rowCount === 1;
}

/** Deletes a project and leaves its items in the library. Returns `false` when there is no such project. */
export async function deleteProjectRow(database: Database, account: string, id: string): Promise<boolean> {
  const [row] = await database.rows<{ deleted: boolean }>('select delete_project($1, $2) as deleted', [
    account,
    id,
  ]);
  return row?.deleted === true;
}
