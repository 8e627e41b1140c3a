import { pageNumber, text } from '../../format/search-params.ts';

export type ProjectsSearch = { search?: string; page?: number };

export function projectsSearch(search: Record<string, unknown>): ProjectsSearch {
  return { search: text(search['search'], 100), page: pageNumber(search['page']) };
}
