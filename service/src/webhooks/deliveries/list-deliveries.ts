import type {
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
} from '@renderkit/contract/console/schemas/delivery.ts';
import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { presentAttempt, presentDelivery } from './present.ts';
import { type Owner, selectDeliveries, selectDelivery } from './store.ts';

const defaultLimit = 100;
export const maxListedDeliveries = 1_000;

/**
 * Returns deliveries of an account, newest first: `limit` of them (default 100, at most 1,000), from `offset` or page
 * `page` (1-based).
 */
export async function listDeliveries(
  database: Database,
  filter: {
    accountId: string;
    endpointId?: string | undefined;
    eventId?: string | undefined;
    eventType?: EventType | undefined;
    status?: DeliveryStatus | undefined;
    offset?: number | undefined;
    page?: number | undefined;
    limit?: number | undefined;
  },
): Promise<Delivery[]> {
  const limit = Math.min(filter.limit ?? defaultLimit, maxListedDeliveries);
  const offset = filter.offset ?? ((filter.page ?? 1) - 1) * limit;
  return (await selectDeliveries(database, { ...filter, limit, offset })).map(presentDelivery);
}

/** A delivery with its details. `body`: the bytes that are sent, as text. */
export type ShownDelivery = { delivery: Delivery; body: string; history: DeliveryAttempt[] };

/**
 * Returns a delivery with every attempt of the last 30 days, oldest first. `keptFor` in
 * `service/src/retention/cleaner.ts` says how long deliveries and attempts are kept. @throws ApiProblem `not_found`
 */
export async function showDelivery(
  database: Database,
  deliveryId: string,
  owner: Owner = {},
): Promise<ShownDelivery> {
  const found = await selectDelivery(database, deliveryId, owner);
  if (found === undefined) throw noSuchDelivery();
  return {
    delivery: presentDelivery(found.delivery),
    body: found.delivery.body,
    history: found.attempts.map(presentAttempt),
  };
}

/** Makes the same problem for a delivery that is unknown, too old, or another account's. */
export function noSuchDelivery(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such delivery.' });
}
