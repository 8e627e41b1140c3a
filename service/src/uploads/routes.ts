import type { Database } from '@renderkit/server-kit/database.ts';
import type { Handlers } from '../handler.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { CreateUpload } from './create-upload.ts';
import { presentUpload } from './present.ts';
import type { FormParts } from './read-form.ts';
import { readUpload } from './store.ts';

/** Files of clients (specification §4): the bytes go to the studio, what became of them is kept here. */
export function uploadsRoutes({
  create,
  database,
}: {
  create: CreateUpload;
  database: Database;
}): Pick<Handlers, 'createUpload' | 'getUpload'> {
  return {
    createUpload: ({ principal, body, form, signal }) => {
      const accountId = principal.account.id;
      if (form !== undefined) return create.fromForm({ accountId, parts: form() as FormParts, signal });
      return create.fromUrl({ accountId, url: body.url, projectId: body.project_id, signal });
    },
    getUpload: async ({ principal, params }) => {
      const asked = { id: params.id, accountId: principal.account.id };
      const row = idShape.test(params.id) ? await readUpload(database, asked) : undefined;
      if (row === undefined) throw new ApiProblem('not_found', { detail: 'There is no such upload.' });
      return presentUpload(row);
    },
  };
}

const idShape = /^upl_[0-9a-z]{26}$/;
