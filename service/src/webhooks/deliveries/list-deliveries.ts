import type { DeliveryStatus } from '@renderkit/contract/console/schemas/delivery.ts';
import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type ListedDelivery, presentDelivery } from './present.ts';
import { selectDeliveries } from './store.ts';

export type { ListedDelivery } from './present.ts';

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
): Promise<ListedDelivery[]> {
  const limit = Math.min(filter.limit ?? defaultLimit, maxListedDeliveries);
  const offset = filter.offset ?? ((filter.page ?? 1) - 1) * limit;
  return (await selectDeliveries(database, { ...filter, limit, offset })).map(presentDelivery);
}
