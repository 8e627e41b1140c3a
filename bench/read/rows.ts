import type { Database } from '@renderkit/server-kit/db/database.ts';

const output = {
  id: 'out_01kaf3v5w8m2x9q4t7r6y1z0bc',
  type: 'image',
  url: 'https://studio.example/media/k3f9a0c2e4d6b8/picture.png',
  thumb_url: 'https://studio.example/media/k3f9a0c2e4d6b8/thumb.webp',
  width: 1024,
  height: 1024,
  duration: null,
  nsfw: false,
  request_id: 1,
};

/** Writes generations that succeeded, with one output and some metadata each. */
export async function insertSucceeded(
  database: Database,
  rows: readonly { id: string; account: string }[],
): Promise<void> {
  await database.rows(
    `insert into generations (id, account_id, key_id, kind, lane, status, model, project_id, cost_millicredits,
                              expected_outputs, outputs, metadata, prompt_id, created_at, submitted_at, completed_at,
                              budget_day)
     select id, account, 'key_of_the_past', 'image', 'image', 'succeeded', 'atelier-1', 'prj_01kaf3v5w8m2x9q4t7r6y1z0bc',
            4000, 1, $3, '{"order":"4711"}', 'prm_01kaf3v5w8m2x9q4t7r6y1z0bc', clock() - n * interval '1 second',
            clock() - n * interval '1 second', clock() - n * interval '1 second', (clock() at time zone 'UTC')::date
       from unnest($1::text[], $2::text[]) with ordinality as row (id, account, n)`,
    [rows.map(({ id }) => id), rows.map(({ account }) => account), JSON.stringify([output])],
  );
  await database.rows('vacuum analyze generations');
}
