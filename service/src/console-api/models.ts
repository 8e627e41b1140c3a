import type { CatalogCache } from '../catalog/catalog-cache.ts';
import { listModels } from '../catalog/list-models.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/**
 * Returns facts about models that /v1 does not have: the subjects of models that cannot draw everything, and usual
 * durations.
 */
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
