import type { EndpointRow } from './store.ts';
import type { SubscribableEventType } from './validate-endpoint.ts';

/** A webhook endpoint for its owner: everything except its secret. */
export type ListedWebhook = {
  id: string;
  url: string;
  events: SubscribableEventType[];
  status: 'active' | 'paused';
  createdAt: string;
  pausedAt: string | null;
  /**
   * The time since which every attempt has failed; null if the last one succeeded, or there was none.
   * `record_attempts.sql` sets it.
   */
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
