import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { ComposedEvent } from './compose-event.ts';

/** How many deliveries were written with it. */
export async function insertEvent(
  queryable: Queryable,
  event: ComposedEvent,
  about: { accountId: string; subjectId: string; at: string },
): Promise<number> {
  const rows = await queryable.rows<{ deliveries: number }>(
    'select write_event($1, $2, $3, $4, $5, $6::timestamptz) as deliveries',
    [event.id, about.accountId, event.type, about.subjectId, event.body, about.at],
    'events_write',
  );
  return rows[0]?.deliveries ?? 0;
}

/** The id of its one delivery; undefined where the endpoint is gone. */
export async function insertPing(
  queryable: Queryable,
  event: ComposedEvent,
  about: { endpointId: string; at: string },
): Promise<string | undefined> {
  const rows = await queryable.rows<{ delivery_id: string | null }>(
    'select write_ping($1, $2, $3, $4::timestamptz) as delivery_id',
    [event.id, about.endpointId, event.body, about.at],
  );
  return rows[0]?.delivery_id ?? undefined;
}

/** The moment by the database's clock, ISO 8601 in UTC. */
export async function readClock(queryable: Queryable): Promise<string> {
  const rows = await queryable.rows<{ at: Date }>('select clock() as at');
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not tell the time');
  return row.at.toISOString();
}

/** Tells every process's deliverers. */
export async function notifyDue(database: Database, channel: string, id: string): Promise<void> {
  await database.rows('select pg_notify($1, $2)', [channel, id]);
}

export type EventRow = { id: string; type: EventType; created_at: Date };

/** The event of a subject; undefined while there is none, or it is too old to be kept. */
export async function selectEventOf(
  database: Database,
  about: { accountId: string; subjectId: string },
): Promise<EventRow | undefined> {
  const rows = await database.rows<EventRow>(
    'select id, type, created_at from events where subject_id = $1 and account_id = $2',
    [about.subjectId, about.accountId],
  );
  return rows[0];
}
