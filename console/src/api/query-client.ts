import { keepPreviousData, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { RenderkitError } from 'renderkit/errors';
import { isOfOtherAccount, isSignedOut, isTransient } from './errors.ts';

const maxRetries = 2;

/**
 * Returns the pause before the next try, in milliseconds: the time that the service asked for, else 1 s, then 2 s. At
 * most 30 s.
 */
export function retryDelayMs(failures: number, error: unknown): number {
  const requested = RenderkitError.is(error) ? error.retryAfter : undefined;
  return Math.min(30_000, requested === undefined ? 1_000 * 2 ** failures : requested * 1_000);
}

type QueryClientOptions = {
  /** Called when the session has ended. */
  onSignedOut: () => void;
  /** Called when another person has signed in, so this page must not be shown to them. */
  onOtherAccount: () => void;
  /** Called when a change was refused and its page does not show the error itself. */
  onRefused: (error: Error) => void;
};

/**
 * Creates the only cache of responses. A mutation with `meta: { inline: true }` shows its error itself.
 * `console/src/app/router.tsx` passes the callbacks.
 */
export function createQueryClient({
  onSignedOut,
  onOtherAccount,
  onRefused,
}: QueryClientOptions): QueryClient {
  const onError = (error: Error): boolean => {
    if (isSignedOut(error)) onSignedOut();
    else if (isOfOtherAccount(error)) onOtherAccount();
    else return false;
    return true;
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (!onError(error) && mutation.meta?.['inline'] !== true) onRefused(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        placeholderData: keepPreviousData,
        retry: (failures, error) => failures < maxRetries && isTransient(error),
        retryDelay: retryDelayMs,
      },
      mutations: { retry: false },
    },
  });
}
