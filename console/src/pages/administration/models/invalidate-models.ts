import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

const isCheck = ({ queryKey }: Query): boolean => queryKey[1] === 'checkModelVersion';

/**
 * After a change of a model: asks again for what is shown of the console, or of all with an empty key, and waits for that. Not
 * for what is wrong with a version: machines are asked for it, which may take half a minute where one is down.
 */
export async function invalidateModels(
  queryClient: QueryClient,
  queryKey: QueryKey = ['console'],
): Promise<void> {
  void queryClient.invalidateQueries({ queryKey, predicate: isCheck });
  await queryClient.invalidateQueries({ queryKey, predicate: (query) => !isCheck(query) });
}
