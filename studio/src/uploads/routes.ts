import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import { removeOrphanFolders } from '../storage/orphan-folders.ts';
import { createUploadTaker, type StoreUploadDependencies } from './store-upload.ts';
import { deleteUploadRow, findUploads, moveToProject } from './store.ts';

export type UploadRoutesOptions = StoreUploadDependencies & {
  presentUpload: (upload: StudioUpload) => StudioUpload;
};

export function uploadRoutes(
  options: UploadRoutesOptions,
): Pick<Handlers, 'storeUpload' | 'getUpload' | 'lookUpUploads' | 'moveUpload' | 'deleteUpload'> {
  const { database, storage, presentUpload } = options;
  const take = createUploadTaker(options);
  return {
    storeUpload: async ({ params, query, bearer, request, reply }) => {
      const answer = await take(
        {
          account: bearer.account,
          token: params.token,
          fileName: query.file_name,
          project: query.project_id ?? null,
          hidden: query.hidden ?? false,
          maskOfAlpha: query.mask_channel === 'alpha',
          minBytes: query.least_bytes ?? 0,
        },
        request.raw,
        reply,
      );
      return answer.outcome === 'stored' ? { ...answer, upload: presentUpload(answer.upload) } : answer;
    },
    getUpload: async ({ params, bearer }) => {
      const [upload] = await findUploads(database, bearer.account.id, [params.token]);
      if (upload === undefined) throw new StudioError('not_found', 'No upload has this token.');
      return presentUpload(upload);
    },
    lookUpUploads: async ({ body, bearer }) => ({
      uploads: (await findUploads(database, bearer.account.id, body.tokens)).map(presentUpload),
    }),
    moveUpload: async ({ params, body, bearer }) => {
      const move = { account: bearer.account.id, token: params.token, project: body.project_id };
      const upload = await moveToProject(database, move);
      if (upload === undefined)
        throw new StudioError('not_found', 'The account has no such upload, or no such project.');
      return presentUpload(upload);
    },
    deleteUpload: async ({ params, bearer }) => {
      const folder = await deleteUploadRow(database, bearer.account.id, params.token);
      // The next clean-up removes what cannot be removed now.
      if (folder !== undefined) await removeOrphanFolders(database, storage, [folder]).catch(() => undefined);
      return { deleted: true };
    },
  };
}
