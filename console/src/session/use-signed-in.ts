import type { ConsoleResponseOf } from '@renderkit/contract/console/operations.ts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { actAs, callConsole } from '../api/client.ts';
import { consoleQuery } from '../api/queries.ts';

/**
 * The signed-in person, and the addresses that pages need. They rarely change. Another person replaces this one only
 * after a reload of the page.
 */
export const signedInQuery = queryOptions({
  ...consoleQuery('getSignedIn', {}),
  queryFn: async ({ signal }) => {
    const answer = await callConsole('getSignedIn', {}, { signal });
    actAs(answer.account.id);
    return answer;
  },
  staleTime: 5 * 60_000,
});

/** Returns the result of `signedInQuery`. Only for components below the shell, whose route has loaded it. */
export function useSignedIn(): ConsoleResponseOf<'getSignedIn'> {
  return useSuspenseQuery(signedInQuery).data;
}
