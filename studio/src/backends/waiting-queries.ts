import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Why a backend does not take a waiting render at this moment. `studio/sql/functions/why_waiting.sql` chooses it. */
export type WaitingReason =
  /** The route names no existing backend. */
  | 'no_backend'
  | 'off'
  | 'draining'
  | 'down'
  | 'resting'
  /** Nobody has checked yet whether it can run the route. */
  | 'unchecked'
  | 'unfit'
  /** The render failed there, or is too much for the backend. */
  | 'avoided'
  /** The provider charges more than the account pays. */
  | 'too_expensive'
  /** Today's money for this backend is used up. */
  | 'day_spent'
  /** The render is tried again later. */
  | 'scheduled'
  /** The route is a fallback, and its time has not come. */
  | 'not_open'
  | 'busy'
  /** The backend leaves the render to a free backend that is much faster. */
  | 'slower'
  /** Nothing prevents it: the backend takes the render as soon as it looks. */
  | 'next';

/** Why one backend of one route does not take a render. */
export type PassedOver = {
  route: number;
  route_name: string;
  /** `null` if the reason is `no_backend`. */
  backend: string | null;
  reason: WaitingReason;
  /** A sentence for operators: it may name hosts and nodes. */
  detail: string | null;
  since: Date | null;
  until: Date | null;
};

/**
 * Returns why a waiting render is not being made: for each backend of each route that takes it, what keeps the backend
 * from claiming it, in the order of routes. Returns nothing if the render does not wait.
 */
export async function whyWaiting(database: Database, render: string): Promise<PassedOver[]> {
  return database.rows<PassedOver>(
    // The subquery finds the render by its id first: the planner must not use an index of all waiting renders.
    `select w.* from (select r from renders r where r.id = $1 offset 0) one, why_waiting(one.r) w
     where (one.r).status = 'queued' and (one.r).tag is not null`,
    [render],
    'why_waiting',
  );
}

/** Why a render waits, in one word of the contract. `studio/sql/functions/queue_reason.sql` chooses it. */
export type QueueReason = 'scheduled_retry' | 'fair_share' | 'engine_busy' | 'engine_down';

/** Returns the reasons by render id; `null` for a render that is about to be taken or does not wait. */
export async function queueReasons(
  database: Database,
  renders: readonly string[],
): Promise<Map<string, QueueReason | null>> {
  const rows = await database.rows<{ id: string; reason: QueueReason | null }>(
    'select r.id, queue_reason(r) as reason from renders r where r.id = any($1)',
    [renders],
    'queue_reasons',
  );
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}
