import type { Cidr } from '@renderkit/egress/public-address.ts';
import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { announceDue } from '../events/queries.ts';
import { actOnEndpoint, type EndpointAct } from './act-on-endpoint.ts';
import { type EndpointRow, forgetFailures, saveEndpoint, setPaused } from './store.ts';
import { validateEndpoint } from './validate-endpoint.ts';

/** The changes to an endpoint. Fields that are left out stay the same. */
export type WebhookChanges = {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  status?: 'active' | 'paused' | undefined;
};

/**
 * Changes an endpoint. Pending deliveries go to the new URL at their old times. New event types apply from the next
 * event on. `paused` makes pending deliveries wait; `active` sends at once those that fell due meanwhile.
 * @throws ApiProblem `invalid_request`, `not_found`
 */
export async function updateWebhook(
  database: Database,
  endpointId: string,
  changes: WebhookChanges,
  asker: Asker,
  // Non-public networks that may be reached.
  options: { allow: readonly Cidr[]; resolver?: NameResolver | undefined } = { allow: [] },
): Promise<void> {
  const validated = await validateEndpoint(changes, options);
  await actOnEndpoint(database, endpointId, asker, async (transaction, before) => ({
    acts: [
      ...(await changeTarget(transaction, before, validated)),
      ...(await changeStatus(transaction, before, changes.status)),
    ],
    answer: undefined,
  }));
  await announceDue(database, endpointId);
}

async function changeTarget(
  transaction: Transaction,
  before: EndpointRow,
  { url = before.url, events = before.events }: { url?: string; events?: readonly string[] },
): Promise<EndpointAct[]> {
  const details = {
    ...(url !== before.url && { url }),
    ...(events.join() !== before.events.join() && { events: events.join(', ') }),
  };
  if (Object.keys(details).length === 0) return [];
  await saveEndpoint(transaction, { id: before.id, url, events });
  if (url !== before.url) await forgetFailures(transaction, before.id);
  return [{ action: 'webhook.updated', details }];
}

async function changeStatus(
  transaction: Transaction,
  before: EndpointRow,
  status: 'active' | 'paused' | undefined,
): Promise<EndpointAct[]> {
  const paused = status === 'paused';
  if (status === undefined || paused === (before.paused_at !== null)) return [];
  await setPaused(transaction, before.id, paused);
  return [{ action: paused ? 'webhook.paused' : 'webhook.resumed' }];
}

/**
 * Pauses an endpoint: nothing new is written for it, and its pending deliveries wait, except pings. `write_event.sql`
 * and `move_generations.sql` (in `service/sql/functions`) skip paused endpoints, `claim_deliveries.sql` claims only
 * their pings.
 * @throws ApiProblem `not_found`
 */
export function pauseWebhook(database: Database, endpointId: string, asker: Asker): Promise<void> {
  return updateWebhook(database, endpointId, { status: 'paused' }, asker);
}

/** Resumes a paused endpoint: deliveries that fell due meanwhile are sent at once. @throws ApiProblem `not_found` */
export function resumeWebhook(database: Database, endpointId: string, asker: Asker): Promise<void> {
  return updateWebhook(database, endpointId, { status: 'active' }, asker);
}
