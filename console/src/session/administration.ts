import { queryOptions, useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../api/queries.ts';

/** Whether the studio has administration, and whether the signed-in person may. It changes seldom. */
export const administrationQuery = queryOptions({
  ...consoleQuery('getAdministration', {}),
  staleTime: 5 * 60_000,
});

/** Undefined until it is known whether the pages of administrators are for this person. */
export function useAdministrator(): boolean | undefined {
  const { data, isError } = useQuery(administrationQuery);
  if (data !== undefined) return data.offered && data.administrator;
  return isError ? false : undefined;
}
