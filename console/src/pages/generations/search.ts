import type { GenerationKind, GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import { dayOf } from '../../format/days.ts';
import { choice, pageNumber, text } from '../../format/search-params.ts';
import { kindNames } from '../../generations/kind-labels.ts';

export const statuses = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'canceled',
] as const satisfies readonly GenerationStatus[];
export type GenerationsSearch = {
  status?: GenerationStatus;
  kind?: GenerationKind;
  key_id?: string;
  search?: string;
  /** Days, both included: `2026-11-21`. */
  from?: string;
  to?: string;
  page?: number;
};

export function generationsSearch(search: Record<string, unknown>): GenerationsSearch {
  return {
    status: choice(search['status'], statuses),
    kind: choice(search['kind'], kindNames),
    key_id: text(search['key_id']),
    search: text(search['search'], 100),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    page: pageNumber(search['page']),
  };
}
