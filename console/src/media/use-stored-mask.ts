import { useQuery } from '@tanstack/react-query';
import { hasCode } from '../api/errors.ts';
import { consoleQuery } from '../api/queries.ts';

/**
 * Where the mask of an earlier request lies, which goes a day after it was sent. `gone`: no request may name it any longer.
 * Undefined names none.
 */
export function useStoredMask(id: string | undefined): { address: string | undefined; gone: boolean } {
  const query = useQuery({
    ...consoleQuery('getStoredMask', { params: { id: id ?? '' } }),
    enabled: id !== undefined,
    placeholderData: undefined,
    retry: (failures, error) => !hasCode(error, 'not_found') && failures < 2,
    staleTime: 30_000,
  });
  return { address: query.data?.url, gone: hasCode(query.error, 'not_found') };
}
