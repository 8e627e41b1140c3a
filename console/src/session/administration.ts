import { queryOptions, useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../api/queries.ts';

/** Whether the studio has administration, and whether the signed-in person may use it. This rarely changes. */
export const administrationQuery = queryOptions({
  ...consoleQuery('getAdministration', {}),
  staleTime: 5 * 60_000,
});

/**
 * Returns whether this person may see the pages of administrators. `false` until that is known. `askerOf` in
 * `studio/src/administration/asker.ts` refuses the actions of all others.
 */
export function useAdministrator(): boolean {
  const { data } = useQuery(administrationQuery);
  return data !== undefined && data.offered && data.administrator;
}
