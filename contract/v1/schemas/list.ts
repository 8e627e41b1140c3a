import { Type, type TSchema } from 'typebox';
import { defaultPageSize, maxOffset, maxPageSize } from '../limits.ts';
import { closed } from './schema-builders.ts';

/** Returns the envelope of a list (docs/api.md §2). `name` is the name of the component, such as `ModelList`. */
export function listOf<T extends TSchema>(name: string, item: T) {
  return closed(
    {
      object: Type.Literal('list'),
      data: Type.Array(item, { description: 'The items of this page.' }),
      page: Type.Integer({ minimum: 1, description: 'Number of this page, from 1.' }),
      limit: Type.Integer({ minimum: 1, description: 'How many items a page holds at most.' }),
      has_more: Type.Boolean({ description: 'True when there is a page after this one.' }),
    },
    { title: name, description: 'One page of a list.' },
  );
}

/**
 * Query parameters of a list with pages. They arrive as text. The service accepts only plain digits (`^\d{1,9}$`)
 * before it converts them, and refuses an offset above `maxOffset`.
 */
export const pageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxOffset + 1, default: 1, description: 'Page to show, from 1.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxPageSize,
      default: defaultPageSize,
      description: 'Items on a page.',
    }),
  ),
};

/** Query parameters of a list that is complete when neither parameter is sent. */
export const optionalPageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxOffset + 1, description: 'Page to show, from 1.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxPageSize,
      description: 'Items on a page. Without `page` and `limit` one page holds everything.',
    }),
  ),
};
