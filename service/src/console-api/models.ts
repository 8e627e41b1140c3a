import type { CatalogCache } from '../catalog/catalog-cache.ts';
import { listModels } from '../catalog/list-models.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/** What the console tells of models beyond /v1: what those draw that cannot draw everything. */
export function modelHandlers({
  catalogCache,
}: {
  catalogCache: CatalogCache;
}): Pick<ConsoleHandlers, 'listModelSubjects'> {
  return {
    listModelSubjects: async ({ person: { accountId } }) => {
      const { catalog } = await translated(catalogCache.get(accountId, { maxAgeMs: 0 }));
      return {
        object: 'list',
        data: listModels(catalog, {}).flatMap(({ id, subjects }) =>
          subjects === undefined
            ? []
            : [
                {
                  id,
                  object: 'model_subjects' as const,
                  subjects: Object.entries(subjects).map(([name, words]) => ({
                    name,
                    words: words.split(' '),
                  })),
                },
              ],
        ),
      };
    },
  };
}
