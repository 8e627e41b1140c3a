import type { CatalogCache } from '../catalog/catalog-cache.ts';
import { listModels } from '../catalog/list-models.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/** What the console tells of models beyond /v1: what those draw that cannot draw everything, and how long they take. */
export function modelHandlers({
  catalogCache,
}: {
  catalogCache: CatalogCache;
}): Pick<ConsoleHandlers, 'listModelFacts'> {
  return {
    listModelFacts: async ({ person: { accountId } }) => {
      const { catalog } = await translated(catalogCache.get(accountId, { maxAgeMs: 0 }));
      return {
        object: 'list',
        data: listModels(catalog, {}).map(({ id, subjects, usual_seconds: seconds }) => ({
          id,
          object: 'model_facts' as const,
          subjects:
            subjects === undefined
              ? null
              : Object.entries(subjects).map(([name, words]) => ({ name, words: words.split(' ') })),
          usual_seconds: seconds ?? null,
        })),
      };
    },
  };
}
