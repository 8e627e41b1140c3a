import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { AssetType } from '@renderkit/contract/v1/schemas/asset.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';

export type LibraryFilter = {
  type?: AssetType;
  project_id?: string;
  search?: string;
  favorites?: 'true' | 'false';
  /** ISO 8601 in UTC. `made_from`: made then or later; `made_before`: made earlier. */
  made_from?: string;
  made_before?: string;
};

/**
 * Returns a page of an account's library from the studio, newest first. `selectAssets` in `studio/src/library/store.ts`
 * searches and filters. @throws ApiProblem when the studio does not answer
 */
export function listAssets(
  studioClient: Pick<StudioClient, 'call'>,
  accountId: string,
  filter: LibraryFilter & { page: number; limit: number },
): Promise<StudioAnswer<'listAssets'>> {
  const { favorites, ...others } = filter;
  const query = { ...others, ...(favorites !== undefined && { favorites: favorites === 'true' }) };
  return translated(studioClient.call('listAssets', { accountId, query }));
}
