import { useQuery } from '@tanstack/react-query';
import { hasCode } from '../api/errors.ts';
import { consoleQuery } from '../api/queries.ts';

/**
 * Returns the address of an earlier request's mask. The service keeps a mask for a day. `gone`: no request may use it
 * any longer. `undefined` as id means no mask. `claimOrphans` in `service/src/uploads/store.ts` removes the mask after
 * a day.
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
