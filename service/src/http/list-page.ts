import { defaultPageSize, maxOffset } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

type PageQuery = { page?: number; limit?: number };
type List<Item> = { object: 'list'; data: Item[]; page: number; limit: number; has_more: boolean };

/**
 * Returns the page that a query asks for, with defaults. The largest `limit` is in `pageQuery` of
 * `contract/v1/schemas/list.ts`.
 * @throws ApiProblem when the page skips too many items
 */
export function pageOf(query: PageQuery): { page: number; limit: number; offset: number } {
  const { page = 1, limit = defaultPageSize } = query;
  const offset = (page - 1) * limit;
  if (offset > maxOffset)
    throw new ApiProblem('invalid_request', {
      errors: [{ field: 'page', message: `must not skip more than ${maxOffset} items` }],
    });
  return { page, limit, offset };
}

/** Returns one page of items that are all in memory. Without `page` and `limit` the page contains all items. */
export function listOfAll<Item>(items: Item[], query: PageQuery): List<Item> {
  if (query.page === undefined && query.limit === undefined)
    return { object: 'list', data: items, page: 1, limit: Math.max(1, items.length), has_more: false };
  const { page, limit, offset } = pageOf(query);
  return {
    object: 'list',
    data: items.slice(offset, offset + limit),
    page,
    limit,
    has_more: offset + limit < items.length,
  };
}
