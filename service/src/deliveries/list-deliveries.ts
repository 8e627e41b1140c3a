import type { Database } from '@renderkit/server-kit/database.ts';
import type { DeliveryStatus } from '@renderkit/contract/console/schemas/delivery.ts';
import { type ListedDelivery, presentDelivery } from './present.ts';
import { selectDeliveries } from './store.ts';

export type { ListedDelivery } from './present.ts';

const defaultLimit = 100;
export const maxListedDeliveries = 1_000;

/** Deliveries of an account, newest first: page `page` (from 1) of `limit` (100, at most 1,000). */
export async function listDeliveries(
  database: Database,
  filter: {
    accountId: string;
    endpointId?: string | undefined;
    status?: DeliveryStatus | undefined;
    page?: number | undefined;
    limit?: number | undefined;
  },
): Promise<ListedDelivery[]> {
  const limit = Math.min(filter.limit ?? defaultLimit, maxListedDeliveries);
  const offset = ((filter.page ?? 1) - 1) * limit;
  return (await selectDeliveries(database, { ...filter, limit, offset })).map(presentDelivery);
}
