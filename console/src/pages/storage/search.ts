import { pageNumber } from '../../format/search-params.ts';

export type StorageSearch = { page?: number };

export function storageSearch(search: Record<string, unknown>): StorageSearch {
  return { page: pageNumber(search['page']) };
}
