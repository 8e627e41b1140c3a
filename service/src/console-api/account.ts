import type { Database } from '@renderkit/server-kit/db/database.ts';
import { selectSettings, updateSettings } from '../account/queries.ts';
import type { AccountReader } from '../account/read-account.ts';
import { pageOf } from '../http/list-page.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { listUploads, readMaskUrl, readTemporaryBytes } from '../uploads/queries.ts';
import { askStudio } from './ask-studio.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/**
 * Shows what a person's account stores, and its uploads. The HTTP API deletes uploads
 * (`service/src/uploads/delete-upload.ts`).
 */
export function storageHandlers(deps: {
  database: Database;
  account: Pick<AccountReader, 'storage'>;
}): Pick<ConsoleHandlers, 'getStorageDetail' | 'listUploadRows' | 'getStoredMask'> {
  const { database, account } = deps;
  return {
    getStorageDetail: async ({ person: { accountId } }) => {
      const [storage, temporaryBytes] = await Promise.all([
        askStudio(account.storage(accountId)),
        readTemporaryBytes(database, accountId),
      ]);
      return { object: 'storage_detail', storage: storage.answer, temporary_bytes: temporaryBytes };
    },
    listUploadRows: async ({ person: { accountId }, query }) => {
      const { page, limit, offset } = pageOf(query);
      const found = await listUploads(database, { accountId, offset, limit: limit + 1 });
      return {
        object: 'list',
        data: found.slice(0, limit),
        page,
        limit,
        has_more: found.length > limit,
      };
    },
    getStoredMask: async ({ person: { accountId }, params: { id } }) => {
      const url = await readMaskUrl(database, { accountId, id });
      if (url === undefined)
        throw new ApiProblem('not_found', { detail: 'There is no such mask, or no longer.' });
      return { object: 'kept_mask', id, url };
    },
  };
}

/** Reads and changes the settings that a person chose for the account. */
export function settingsHandlers({
  database,
}: {
  database: Database;
}): Pick<ConsoleHandlers, 'getSettings' | 'updateSettings'> {
  return {
    getSettings: async ({ person: { accountId } }) => ({
      object: 'account_settings',
      ...(await selectSettings(database, accountId)),
    }),
    updateSettings: async ({ person: { accountId }, body }) => {
      await updateSettings(database, accountId, body);
      return { object: 'account_settings', ...body };
    },
  };
}

/** Shows the state of the connection to the studio. To find it out, asks the studio for the account. */
export function connectionHandlers(deps: {
  account: AccountReader;
  studioPublicUrl: string;
}): Pick<ConsoleHandlers, 'getConnection'> {
  return {
    getConnection: async ({ principal }) => {
      const { id, studioId, studioAccountId } = principal.account;
      const { answer, failure } = await askStudio(deps.account.profile(id));
      return {
        object: 'connection',
        state: failure ?? 'live',
        studio: { id: studioId, url: deps.studioPublicUrl, account_id: studioAccountId },
        account: answer,
      };
    },
  };
}
