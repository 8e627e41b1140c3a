import { keepPreviousData, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { RenderkitError } from 'renderkit/errors';
import { isOfOtherAccount, isSignedOut, isTransient } from './errors.ts';

const maxRetries = 2;

/** Milliseconds before the next try: as long as the service asked for, otherwise 1 s, then 2 s. */
export function retryDelayMs(failures: number, error: unknown): number {
  const requested = RenderkitError.is(error) ? error.retryAfter : undefined;
  return Math.min(30_000, requested === undefined ? 1_000 * 2 ** failures : requested * 1_000);
}

type QueryClientOptions = {
  /** The session has ended. */
  onSignedOut: () => void;
  /** Somebody else has signed in: this page is not theirs. */
  onOtherAccount: () => void;
  /** A change was refused, and the page that sent it does not show the error itself. */
  onRefused: (error: Error) => void;
};

/** The one cache of answers. A mutation with `meta: { inline: true }` shows its error itself. */
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
