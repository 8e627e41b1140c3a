import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type ListedAttempt, type ListedDelivery, presentAttempt, presentDelivery } from './present.ts';
import { type Owner, selectDelivery } from './store.ts';

/** All of a delivery. `body`: the bytes that are sent, as text. */
export type ShownDelivery = ListedDelivery & { body: string; history: ListedAttempt[] };

/** A delivery with every attempt of the last 30 days, oldest first. @throws ApiProblem `not_found` */
export async function showDelivery(
  database: Database,
  deliveryId: string,
  owner: Owner = {},
): Promise<ShownDelivery> {
  const found = await selectDelivery(database, deliveryId, owner);
  if (found === undefined) throw noSuchDelivery();
  return {
    ...presentDelivery(found.delivery),
    body: found.delivery.body,
    history: found.attempts.map(presentAttempt),
  };
}

/** Unknown, too old, or somebody else's: all the same to whoever asks. */
export function noSuchDelivery(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such delivery.' });
}
