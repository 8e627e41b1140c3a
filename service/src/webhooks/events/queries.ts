import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import { composeEvent, type ComposedEvent } from './compose-event.ts';

/** Carries ids of accounts or endpoints with due deliveries, sent after the commit. */
export const deliveriesDueChannel = 'deliveries_due';

const pingMessage = 'This is a test. The endpoint can be reached.';

/**
 * Writes an event with its deliveries, in the transaction of the outcome that it announces (`queryable`). `at` is ISO
 * 8601. Returns how many deliveries there are: if any, the caller must wake the deliverers after the commit. Throws for
 * the second event of a subject. `write_event.sql` chooses the endpoints. (`move_generations.sql` writes the events of
 * generations itself.)
 */
export async function writeEvent(
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

/**
 * Writes a ping to one endpoint, whatever it subscribes to, in the caller's transaction (`queryable`). Returns the
 * event's and the delivery's ids; undefined where the endpoint is gone.
 */
export async function writePing(
  queryable: Queryable,
  endpointId: string,
): Promise<{ eventId: string; deliveryId: string } | undefined> {
  const at = await readClock(queryable);
  const event = composeEvent('ping', JSON.stringify({ message: pingMessage }), at);
  const deliveryId = await insertPing(queryable, event, { endpointId, at });
  return deliveryId === undefined ? undefined : { eventId: event.id, deliveryId };
}

/** Inserts a ping and returns the id of its delivery; undefined where the endpoint is gone. */
async function insertPing(
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

/** Returns the time of the database's clock, ISO 8601 in UTC. */
async function readClock(queryable: Queryable): Promise<string> {
  const rows = await queryable.rows<{ at: Date }>('select clock() as at');
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.at.toISOString();
}

/** Wakes the deliverers of all processes; a lost notification costs a second. For many ids at once, use a notifier. */
export async function announceDue(database: Database, accountOrEndpointId: string): Promise<void> {
  await database.rows('select pg_notify($1, $2)', [deliveriesDueChannel, accountOrEndpointId]);
}

/** Returns the event about a generation or an upload; undefined before it is written and after it is removed. */
export async function findEventOf(
  database: Database,
  about: { accountId: string; subjectId: string },
): Promise<{ id: string; type: EventType; createdAt: string } | undefined> {
  const [row] = await database.rows<{ id: string; type: EventType; created_at: Date }>(
    'select id, type, created_at from events where subject_id = $1 and account_id = $2',
    [about.subjectId, about.accountId],
  );
  return row && { id: row.id, type: row.type, createdAt: row.created_at.toISOString() };
}
