import type { ConsoleRequestOf } from '@renderkit/contract/console/operations.ts';
import type { LibraryItem } from '@renderkit/contract/console/schemas/library.ts';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { knownGenerations } from '../generations/reads/list-console-rows.ts';
import { pageOf } from '../http/list-page.ts';
import { utcMoment } from '../iso-time.ts';
import { listAssets } from '../library/list-assets.ts';
import { presentAsset } from '../library/present.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { asNotFound, translated } from '../studio-client/translate-error.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/**
 * Shows a person's library, with the generation of each item if the service made it. The HTTP API handles favorites and
 * deletes items (`service/src/library/routes.ts`).
 */
export function libraryHandlers(deps: {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
}): Pick<ConsoleHandlers, 'listLibraryItems' | 'moveLibraryItems'> {
  const { database, studioClient } = deps;
  return {
    listLibraryItems: async ({ person: { accountId }, query }) => {
      const { page, limit } = pageOf(query);
      const { assets, has_more } = await assetsOf(studioClient, accountId, { ...query, page, limit });
      const tokens = assets.flatMap(({ token }) => token ?? []);
      const known = await knownGenerations(database, accountId, tokens);
      return {
        object: 'list',
        data: assets.map((asset) => presentLibraryItem(asset, known)),
        page,
        limit,
        has_more,
      };
    },

    moveLibraryItems: async ({ person: { accountId }, body }) => {
      const ids = [...new Set(body.ids)];
      const call = studioClient.call('moveAssets', {
        accountId,
        body: { ids, project_id: body.project_id },
      });
      const { moved } = await translated(call.catch(asNotFound('There is no such project.')));
      return { object: 'moved_library_items', moved };
    },
  };
}

async function assetsOf(
  studioClient: Pick<StudioClient, 'call'>,
  accountId: string,
  query: ConsoleRequestOf<'listLibraryItems'>['query'] & { page: number; limit: number },
): Promise<StudioAnswer<'listAssets'>> {
  const { id, made_from: from, made_before: before, ...filter } = query;
  if (id !== undefined) {
    const call = studioClient.call('lookUpAssets', { accountId, body: { ids: [id] } });
    return { ...(await translated(call)), has_more: false };
  }
  return listAssets(studioClient, accountId, {
    ...filter,
    ...(from !== undefined && { made_from: utcMoment(from) }),
    ...(before !== undefined && { made_before: utcMoment(before) }),
  });
}

function presentLibraryItem(asset: StudioAsset, known: ReadonlySet<string>): LibraryItem {
  const { prompt = null, token = null, frame_of: frameOf = null } = asset;
  return {
    object: 'library_item',
    asset: presentAsset(asset),
    prompt: prompt === '' ? null : prompt,
    // Other services may use the account too. Their renders may have any token.
    generation_id: token !== null && known.has(token) ? token : null,
    frame_of: frameOf,
  };
}
