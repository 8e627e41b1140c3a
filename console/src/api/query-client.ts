import { keepPreviousData, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { NoAnswerError, ProblemError } from './errors.ts';

const triesAgain = 2;

/** Whether waiting may help: nothing answered, or the service says that it is for now. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  return error instanceof ProblemError && [429, 502, 503].includes(error.status);
}

/** Milliseconds before the next try: what the service asked for, else 1 s, 2 s. */
export function waitBefore(failures: number, error: unknown): number {
  const asked = error instanceof ProblemError ? error.retryAfter : undefined;
  return Math.min(30_000, asked === undefined ? 1_000 * 2 ** failures : asked * 1_000);
}

type Told = {
  /** The session has ended. */
  onSignedOut: () => void;
  /** A change was refused and the page that asked for it shows nothing of that itself. */
  onRefused: (error: Error) => void;
};

/**
 * The one cache of what the service said. Mutations with `meta: { inline: true }` show their refusals themselves.
 */
export function createQueryClient({ onSignedOut, onRefused }: Told): QueryClient {
  const signedOut = (error: Error) => error instanceof ProblemError && error.status === 401;
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error) => signedOut(error) && onSignedOut() }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (signedOut(error)) onSignedOut();
        else if (mutation.meta?.['inline'] !== true) onRefused(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        placeholderData: keepPreviousData,
        retry: (failures, error) => failures < triesAgain && mayPass(error),
        retryDelay: waitBefore,
      },
      mutations: { retry: false },
    },
  });
}
