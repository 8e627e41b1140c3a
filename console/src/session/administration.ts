import { queryOptions, useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../api/queries.ts';

/** Whether the studio has administration, and whether the signed-in person may. It changes seldom. */
export const administrationQuery = queryOptions({
  ...consoleQuery('getAdministration', {}),
  staleTime: 5 * 60_000,
});

/** Whether the pages of administrators are for this person; false until it is known. */
export function useAdministrator(): boolean {
  const { data } = useQuery(administrationQuery);
  return data !== undefined && data.offered && data.administrator;
}
