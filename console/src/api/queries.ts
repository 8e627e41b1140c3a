import type { ConsoleOperationId, OperationId } from '@renderkit/contract/console/operations.ts';
import { queryOptions } from '@tanstack/react-query';
import { callConsole, callV1, type ConsoleRequest, type V1Request } from './client.ts';

/**
 * A query for an operation of the console's own API. Its key begins with `console` and the operation. `query-client.ts`
 * decides about retries and ended sessions.
 */
export function consoleQuery<Id extends ConsoleOperationId>(id: Id, request: ConsoleRequest<Id>) {
  return queryOptions({
    queryKey: ['console', id, request],
    queryFn: ({ signal }) => callConsole(id, request, { signal }),
  });
}

/** A query for an operation of the public API. Its key begins with `v1` and the operation. */
export function v1Query<Id extends OperationId>(id: Id, request: V1Request<Id>) {
  return queryOptions({
    queryKey: ['v1', id, request],
    queryFn: ({ signal }) => callV1(id, request, { signal }),
  });
}

const liveMs = 2_000;
const liveAfterErrorMs = 10_000;

/** Returns the `refetchInterval` for live data: 2 s, or 10 s after an error. A hidden page does not refetch. */
export function live(query: { state: { fetchFailureCount: number; status: string } }): number {
  return query.state.status === 'error' || query.state.fetchFailureCount > 0 ? liveAfterErrorMs : liveMs;
}
