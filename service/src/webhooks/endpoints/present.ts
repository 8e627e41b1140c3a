import type { EndpointRow } from './store.ts';
import type { SubscribableEventType } from './validate-endpoint.ts';

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

export function presentWebhook(row: EndpointRow): ListedWebhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    status: row.paused_at === null ? 'active' : 'paused',
    createdAt: row.created_at.toISOString(),
    pausedAt: row.paused_at?.toISOString() ?? null,
    failingSince: row.failing_since?.toISOString() ?? null,
  };
}
