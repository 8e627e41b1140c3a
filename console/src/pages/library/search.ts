import { dayOf } from '../../format/days.ts';
import { choice, pageNumber, text } from '../../format/search-params.ts';

export type LibrarySearch = {
  type?: 'image' | 'video';
  search?: string;
  favorites?: 'true';
  project_id?: string;
  /** Days, both included: `2026-11-21`. */
  from?: string;
  to?: string;
  page?: number;
  /** Id of the item that is shown large. */
  item?: string;
};

export function librarySearch(search: Record<string, unknown>): LibrarySearch {
  return {
    type: choice(search['type'], ['image', 'video']),
    search: text(search['search'], 100),
    favorites: choice(String(search['favorites']), ['true']),
    project_id: text(search['project_id'], 100),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    page: pageNumber(search['page']),
    item: text(search['item'], 100),
  };
}

/** Search parameters of a project's page, without the project. */
export type ProjectSearch = Omit<LibrarySearch, 'project_id'>;
export function projectSearch(search: Record<string, unknown>): ProjectSearch {
  const { project_id: _, ...others } = librarySearch(search);
  return others;
}
