import { choice, pageNumber, text } from '../../format/search-params.ts';

export type LibrarySearch = {
  type?: 'image' | 'video';
  search?: string;
  favorites?: 'true';
  project_id?: string;
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
    page: pageNumber(search['page']),
    item: text(search['item'], 100),
  };
}
