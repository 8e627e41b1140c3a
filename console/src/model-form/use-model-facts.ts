import type { ConsoleResponseOf } from '@renderkit/contract/console/operations.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../api/queries.ts';

/** The facts change only when a model changes. */
const staleMs = 5 * 60_000;

/**
 * Returns what models draw and how long they take. `undefined` while that loads. `service/src/console-api/models.ts`
 * has the facts.
 */
export function useModelFacts(): ConsoleResponseOf<'listModelFacts'>['data'] | undefined {
  return useQuery({ ...consoleQuery('listModelFacts', {}), staleTime: staleMs }).data?.data;
}
