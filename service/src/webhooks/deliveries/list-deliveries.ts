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

/** Deliveries of an account, newest first: `limit` (100, at most 1,000) of them, from `offset` or page `page` (from 1) on. */
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

/** All of a delivery. `body`: the bytes that are sent, as text. */
export type ShownDelivery = { delivery: Delivery; body: string; history: DeliveryAttempt[] };

/** A delivery with every attempt of the last 30 days, oldest first. @throws ApiProblem `not_found` */
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

/** Unknown, too old, or somebody else's: all the same to whoever asks. */
export function noSuchDelivery(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such delivery.' });
}
