import type { ConsoleResponseOf } from '@renderkit/contract/console/operations.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../api/queries.ts';

/** They change when a model does. */
const staleMs = 5 * 60_000;

/** What models draw and how long they take; undefined until that is known. */
export function useModelFacts(): ConsoleResponseOf<'listModelFacts'>['data'] | undefined {
  return useQuery({ ...consoleQuery('listModelFacts', {}), staleTime: staleMs }).data?.data;
}
