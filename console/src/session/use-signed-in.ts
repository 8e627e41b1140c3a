import { useSuspenseQuery } from '@tanstack/react-query';
import type { ConsoleResponseOf } from '@renderkit/contract/console/operations.ts';
import { signedInQuery } from '../api/queries.ts';

/** Who is signed in, and the addresses that pages need. Only below the shell, which has made sure of it. */
export function useSignedIn(): ConsoleResponseOf<'getSignedIn'> {
  return useSuspenseQuery(signedInQuery).data;
}
