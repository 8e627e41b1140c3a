import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import { newId } from '@renderkit/server-kit/ids.ts';

/**
 * An event that is written together with its cause. `body` is the envelope of docs/api.md §6, stored as exactly these
 * bytes.
 */
export type ComposedEvent = { id: string; type: EventType; body: string };

/**
 * Puts the envelope around `data` (JSON text). `at` is ISO 8601 in UTC. Events of generations get their data from
 * `service/src/generations/settle/compose-transition.ts`, events of uploads from
 * `service/src/uploads/record-outcomes.ts`, pings from `queries.ts`.
 */
export function composeEvent(type: EventType, data: string, at: string): ComposedEvent {
  const id = newId(idPrefixes.event);
  return {
    id,
    type,
    body: `{"id":"${id}","object":"event","type":"${type}","created_at":"${at}","data":${data}}`,
  };
}
