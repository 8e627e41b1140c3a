import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Handlers } from '../http/handler.ts';
import type { CreateUpload } from './create-upload.ts';
import { type DeleteUpload, noSuchUpload, uploadIdShape } from './delete-upload.ts';
import { presentUpload } from './present.ts';
import type { FormParts } from './read-form.ts';
import { readUpload } from './store.ts';

/** Serves uploads of clients (docs/api.md §4): the bytes go to the studio, and the outcome is stored here. */
export function uploadsRoutes({
  create,
  deleteUpload,
  database,
}: {
  create: CreateUpload;
  deleteUpload: DeleteUpload;
  database: Database;
}): Pick<Handlers, 'createUpload' | 'getUpload' | 'deleteUpload'> {
  return {
    createUpload: ({ principal, body, form, contentLength, signal }) => {
      const accountId = principal.account.id;
      if (form !== undefined)
        return create.fromForm({ accountId, parts: form() as FormParts, contentLength, signal });
      return create.fromUrl({ accountId, url: body.url, projectId: body.project_id, signal });
    },
    getUpload: async ({ principal, params }) => {
      const asked = { id: params.id, accountId: principal.account.id };
      const row = uploadIdShape.test(params.id) ? await readUpload(database, asked) : undefined;
      if (row === undefined) throw noSuchUpload();
      return presentUpload(row);
    },
    deleteUpload: async ({ principal, params: { id } }) => {
      await deleteUpload({ id, accountId: principal.account.id });
      return { id, object: 'upload', deleted: true };
    },
  };
}
