import type { ConsoleResponseOf } from '@renderkit/contract/console/operations.ts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { consoleQuery } from '../api/queries.ts';

/** Who is signed in, and the addresses that pages need. It changes seldom. */
export const signedInQuery = queryOptions({
  ...consoleQuery('getSignedIn', {}),
  staleTime: 5 * 60_000,
});

/** The answer to `signedInQuery`. Only for what is shown below the shell, whose route has loaded it. */
export function useSignedIn(): ConsoleResponseOf<'getSignedIn'> {
  return useSuspenseQuery(signedInQuery).data;
}
