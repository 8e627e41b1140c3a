import { type EventType, subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { parseCidrs } from '@renderkit/egress/public-address.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { operator } from '../../../identity/audit/actor.ts';
import { createWebhook } from '../../endpoints/create-webhook.ts';
import { signingSecrets } from '../../endpoints/signing-secrets.ts';
import { composeEvent, type ComposedEvent } from '../../events/compose-event.ts';
import { writeEvent } from '../../events/queries.ts';
import { type Deliveries, type DeliveriesOptions, startDeliveries } from '../start-deliveries.ts';

export const secrets = signingSecrets(Buffer.alloc(32, 3));
export const allow = parseCidrs('127.0.0.0/8');

/** Creates an account with an endpoint for each URL, by default subscribed to all events. */
export async function seedEndpoints(
  database: Database,
  urls: readonly string[],
  events: readonly string[] = subscribableEventTypes,
): Promise<{ accountId: string; endpoints: { id: string; secret: string }[] }> {
  const accountId = await seedAccount(database);
  const endpoints = [];
  for (const url of urls)
    endpoints.push(await createWebhook(database, secrets, { accountId, url, events, allow }, operator.actor));
  return { accountId, endpoints };
}

/** Removes an account's endpoints while deliveries may be running: first locks them in the deliverers' order. */
export async function removeEndpoints(database: Database, accountId: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute(
      'select 1 from endpoint_turns where account_id = $1 order by endpoint_id for no key update',
      [accountId],
    );
    await transaction.execute('delete from webhook_endpoints where account_id = $1', [accountId]);
  });
}

export async function seedAccount(database: Database): Promise<string> {
  const accountId = newId('acc_');
  await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $3)', [
    accountId,
    'std_test',
    newId('sub_'),
  ]);
  return accountId;
}

/** Writes an event like an outcome does. `deliveries` is how many deliveries it has. */
export async function seedEvent(
  database: Database,
  accountId: string,
  type: EventType = 'generation.succeeded',
): Promise<ComposedEvent & { deliveries: number; subjectId: string }> {
  const at = (await database.rows<{ at: Date }>('select clock() as at'))[0]?.at.toISOString() ?? '';
  const subjectId = newId('gen_');
  const event = composeEvent(type, JSON.stringify({ id: subjectId, object: 'generation' }), at);
  const deliveries = await writeEvent(database, event, { accountId, subjectId, at });
  return { ...event, deliveries, subjectId };
}

/** Writes many events in one statement. */
export async function seedEvents(database: Database, accountId: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('evt_'));
  await database.rows(
    `select write_event(id, $2, 'generation.succeeded', replace(id, 'evt_', 'gen_'), '{"id":"' || id || '"}', clock())
       from unnest($1::text[]) as id`,
    [ids, accountId],
  );
}

export function startDeliverer(database: Database, options: Partial<DeliveriesOptions> = {}): Deliveries {
  return startDeliveries({
    database,
    secrets,
    allow,
    log: createLogger({ part: 'test', level: 'silent' }),
    pollMs: 50,
    ...options,
  });
}
