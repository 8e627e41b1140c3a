import type { ConsoleResponseOf } from '@renderkit/contract/console/operations.ts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { actAs, callConsole } from '../api/client.ts';
import { consoleQuery } from '../api/queries.ts';

/** Who is signed in, and the addresses that pages need. It changes seldom, and to somebody else not before the page is loaded anew. */
export const signedInQuery = queryOptions({
  ...consoleQuery('getSignedIn', {}),
  queryFn: async ({ signal }) => {
    const answer = await callConsole('getSignedIn', {}, { signal });
    actAs(answer.account.id);
    return answer;
  },
  staleTime: 5 * 60_000,
});

/** The answer to `signedInQuery`. Only for what is shown below the shell, whose route has loaded it. */
export function useSignedIn(): ConsoleResponseOf<'getSignedIn'> {
  return useSuspenseQuery(signedInQuery).data;
}
