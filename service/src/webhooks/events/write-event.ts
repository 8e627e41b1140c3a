import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { composeEvent, type ComposedEvent } from './compose-event.ts';
import { insertEvent, insertPing, readClock } from './store.ts';

/**
 * Writes an event with its deliveries, in the transaction of the outcome that it tells of (`queryable`). `at` is ISO
 * 8601. Answers how many deliveries there are: if any, wake the deliverers once it is committed. A subject has one
 * event: a second one throws. (Within a statement of SQL call its function `write_event`.)
 */
export function writeEvent(
  queryable: Queryable,
  event: ComposedEvent,
  about: { accountId: string; subjectId: string; at: string },
): Promise<number> {
  return insertEvent(queryable, event, about);
}

/**
 * Writes a ping to one endpoint, whatever it subscribes to, in the transaction of who asked for it (`queryable`). The
 * delivery's id; undefined where the endpoint is gone.
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

const pingMessage = 'This is a test. The endpoint can be reached.';
