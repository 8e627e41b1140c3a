import type { Database } from '@renderkit/server-kit/db/database.ts';
import { notifyDue } from './store.ts';

/** Ids of accounts or endpoints that have something to be delivered are announced here, after the commit. */
export const deliveriesDueChannel = 'deliveries_due';

/** Wakes the deliverers of all processes; a lost word costs a second. For many at a time use a notifier. */
export function announceDue(database: Database, accountOrEndpointId: string): Promise<void> {
  return notifyDue(database, deliveriesDueChannel, accountOrEndpointId);
}
