import type { GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { UploadRow } from './present.ts';

/** An upload with the generations that name it. */
export type ListedRow = UploadRow & {
  /** PostgreSQL's text in UTC; null while a generation that has not ended names it. */
  kept_until: string | null;
  uses: number;
  latest: { id: string; status: GenerationStatus }[];
};

/** One page of an account's uploads, the newest first; what is hidden is not among them. */
export async function selectUploads(
  database: Database,
  asked: {
    accountId: string;
    offset: number;
    limit: number;
    keptDays: number;
    latestUses: number;
    mostUses: number;
  },
): Promise<ListedRow[]> {
  return database.rows<ListedRow>(
    `with page as (
       select id from uploads
        where account_id = $1 and not hidden and status in ('processing', 'ready', 'rejected')
        order by created_at desc, id desc limit $2 offset $3
     )
     select u.id, u.status, u.type, u.url, u.file_name, u.content_type, u.size_bytes, u.width, u.height, u.error,
            u.created_at::text as created_at, usage.uses, coalesce(newest.latest, '[]'::json) as latest,
            case when under_way.named then null
                 else greatest(u.expires_at, newest.at + $4 * interval '1 day')::text end as kept_until
       from page join uploads u using (id)
      cross join lateral (
        select count(*)::integer as uses from (
          select from generation_uploads n where n.upload_id = u.id limit $6) as counted) usage
      -- The ids of generations begin with their time.
      cross join lateral (
        select json_agg(json_build_object('id', g.id, 'status', g.status) order by g.id desc) as latest,
               max(g.created_at) as at
          from (select generation_id from generation_uploads n where n.upload_id = u.id
                 order by generation_id desc limit $5) as last
         -- Looked up one by one, whatever the planner believes of the sizes of tables.
         cross join lateral (
           select id, status, created_at from generations where id = last.generation_id offset 0) g) newest
      cross join lateral (
        select exists (
          select from generation_uploads n
           cross join lateral (
             select completed_at from generations where id = n.generation_id offset 0) g
           where n.upload_id = u.id and g.completed_at is null) as named) under_way
      order by u.created_at desc, u.id desc`,
    [asked.accountId, asked.limit, asked.offset, asked.keptDays, asked.latestUses, asked.mostUses],
    'uploads_list',
  );
}

/** Bytes of an account's hidden uploads: masks and imports of single generations. */
export async function sumHidden(database: Database, accountId: string): Promise<number> {
  const [row] = await database.rows<{ bytes: number }>(
    `select coalesce(sum(size_bytes), 0)::bigint as bytes from uploads
      where account_id = $1 and hidden and status in ('processing', 'ready')`,
    [accountId],
    'uploads_hidden_bytes',
  );
  return row?.bytes ?? 0;
}
