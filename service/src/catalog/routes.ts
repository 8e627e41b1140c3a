import type { Handlers } from '../http/handler.ts';
import { listOfAll } from '../http/list-page.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { type CatalogIndex, indexOf } from './catalog-index.ts';
import { describeUnknownModel } from './describe-unknown-name.ts';
import { listModels } from './list-models.ts';
import { presentModel, presentStyle, presentSuggestion } from './present.ts';

/**
 * Serves reads of the catalog (docs/api.md §4). Each read asks the studio whether the catalog changed, so the client
 * learns at once when its session at the studio has ended.
 */
export function catalogRoutes({
  catalogCache,
}: {
  catalogCache: CatalogCache;
}): Pick<Handlers, 'listModels' | 'getModel' | 'listStyles' | 'listSuggestions'> {
  const read = async (accountId: string) =>
    (await translated(catalogCache.get(accountId, { maxAgeMs: 0 }))).catalog;
  return {
    listModels: async ({ principal, query }) => {
      const catalog = await read(principal.account.id);
      return listOfAll(listModels(catalog, query).map(presentModel), query);
    },
    getModel: async ({ principal, params }) => {
      const index = indexOf(await read(principal.account.id));
      const found = index.models.get(params.id);
      if (found === undefined) throw new ApiProblem('not_found', { detail: noSuchModel(params.id, index) });
      return presentModel(found);
    },
    listStyles: async ({ principal, query }) => {
      const { styles } = await read(principal.account.id);
      return listOfAll(styles.map(presentStyle), query);
    },
    listSuggestions: async ({ principal, query }) => {
      const { suggestions } = await read(principal.account.id);
      const { suite } = query;
      const chosen =
        suite === undefined ? suggestions : suggestions.filter(({ suites }) => suites.includes(suite));
      return listOfAll(chosen.map(presentSuggestion), query);
    },
  };
}

function noSuchModel(id: string, index: CatalogIndex): string {
  const text = describeUnknownModel(id, index);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
