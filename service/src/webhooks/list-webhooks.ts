import type { Database } from '@renderkit/server-kit/database.ts';
import type { SubscribableEventType } from './judge-endpoint.ts';
import { selectEndpoints } from './store.ts';

/** A webhook endpoint as its owner may see it: all but its secret. */
export type ListedWebhook = {
  id: string;
  url: string;
  events: SubscribableEventType[];
  status: 'active' | 'paused';
  createdAt: string;
  pausedAt: string | null;
  /** Since when every attempt failed; null: the last one was a success, or there was none. */
  failingSince: string | null;
};

/** The endpoints of an account, oldest first. */
export async function listWebhooks(database: Database, accountId: string): Promise<ListedWebhook[]> {
  return (await selectEndpoints(database, accountId)).map((row) => ({
    id: row.id,
    url: row.url,
    events: row.events,
    status: row.paused_at === null ? 'active' : 'paused',
    createdAt: row.created_at.toISOString(),
    pausedAt: row.paused_at?.toISOString() ?? null,
    failingSince: row.failing_since?.toISOString() ?? null,
  }));
}
