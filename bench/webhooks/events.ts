import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createWebhook } from '@renderkit/service/operator.ts';
import type { Platform } from '../platform.ts';

/** Adds endpoints to an account that accept the events of `writeEvents`. */
export async function addEndpoints(
  platform: Pick<Platform, 'serviceDatabase' | 'secretKey'>,
  accountId: string,
  urls: readonly string[],
): Promise<void> {
  for (const url of urls)
    await createWebhook(platform.serviceDatabase, platform.secretKey, {
      accountId,
      url,
      events: ['generation.succeeded'],
      egressAllow: ['127.0.0.0/8'],
    });
}

/** Writes events as an outcome does, `count` for each account. */
export async function writeEvents(
  database: Database,
  accountIds: readonly string[],
  count: number,
): Promise<void> {
  await database.rows(
    `select write_event(e.id, e.account_id, 'generation.succeeded', 'gen_' || substr(e.id, 5),
       replace(replace($3, '{id}', e.id), '{at}', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
       e.at)
     from (select 'evt_01' || substr(md5(random()::text || n || account_id), 1, 24) as id, account_id, clock() as at
             from unnest($1::text[]) as account_id, generate_series(1, $2) n) e`,
    [accountIds, count, eventBody('{id}', '{at}')],
  );
}

/** Notifies the service that deliveries are due. */
export async function wake(database: Database, accountId: string): Promise<void> {
  await database.rows(`select pg_notify('deliveries_due', $1)`, [accountId]);
}

/** Returns the text of an event, as long as a real one. */
export function eventBody(id: string, at: Date | string): string {
  const createdAt = typeof at === 'string' ? at : at.toISOString();
  return JSON.stringify({
    id,
    object: 'event',
    type: 'generation.succeeded',
    created_at: createdAt,
    data: {
      id: 'gen_01kaf3v5w8m2x9q4t7r6y1z0bc',
      object: 'generation',
      kind: 'image',
      status: 'succeeded',
      model: 'atelier-1',
      project_id: 'prj_01kaf3v5w8m2x9q4t7r6y1z0bc',
      cost: { credits: 4 },
      expected_outputs: 1,
      outputs: [
        {
          id: 'ast_01kaf3v5w8m2x9q4t7r6y1z0bc',
          type: 'image',
          url: 'https://studio.example/media/k3f9a0c2e4d6b8/picture.png',
          thumb_url: 'https://studio.example/media/k3f9a0c2e4d6b8/thumb.webp',
          width: 1024,
          height: 1024,
          duration: null,
          nsfw: false,
          request_id: 1,
        },
      ],
      error: null,
      prompt_id: 'prm_01kaf3v5w8m2x9q4t7r6y1z0bc',
      metadata: { order: '4711' },
      created_at: createdAt,
      submitted_at: createdAt,
      completed_at: createdAt,
    },
  });
}
