import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

const isCheck = ({ queryKey }: Query): boolean => queryKey[1] === 'checkModelVersion';

/**
 * Reloads the shown data of the console after a model changed (of all queries with an empty key) and waits for it. Does
 * not wait for version checks: they contact machines and may take half a minute when one is down.
 */
export async function invalidateModels(
  queryClient: QueryClient,
  queryKey: QueryKey = ['console'],
): Promise<void> {
  void queryClient.invalidateQueries({ queryKey, predicate: isCheck });
  await queryClient.invalidateQueries({ queryKey, predicate: (query) => !isCheck(query) });
}
