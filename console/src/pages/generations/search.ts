import type { GenerationKind, GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import { choice, pageNumber, text } from '../../app/search-values.ts';

export const statuses = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'canceled',
] as const satisfies readonly GenerationStatus[];
export const kinds = [
  'image',
  'image_edit',
  'video',
  'video_extend',
] as const satisfies readonly GenerationKind[];

export type GenerationsSearch = {
  status?: GenerationStatus;
  kind?: GenerationKind;
  key_id?: string;
  page?: number;
};

export function generationsSearch(search: Record<string, unknown>): GenerationsSearch {
  return {
    status: choice(search['status'], statuses),
    kind: choice(search['kind'], kinds),
    key_id: text(search['key_id']),
    page: pageNumber(search['page']),
  };
}
