import { projectTitlePattern } from '@renderkit/contract/studio/project-title.ts';
import type { StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import {
  deleteProjectRow,
  findProject,
  insertProject,
  listProjects,
  type ProjectRow,
  updateTitle,
} from './store.ts';

const titleShape = new RegExp(projectTitlePattern);
const farthestOffset = 1_000_000;

/**
 * `defaultProjectTitle` in `contract/v1/schemas/project.ts` is the title if a client gives none.
 * `studio/sql/functions/api_project.sql` makes the project of requests without one.
 */
export function projectRoutes(
  database: Database,
  mediaUrl: string,
): Pick<Handlers, 'listProjects' | 'createProject' | 'getProject' | 'renameProject' | 'deleteProject'> {
  const get = async (account: string, id: string): Promise<StudioProject> => {
    const row = await findProject(database, account, id);
    if (row === undefined) throw noSuchProject();
    return present(row, mediaUrl);
  };
  return {
    listProjects: async ({ query: { page, limit, search }, bearer }) => {
      if ((page - 1) * limit > farthestOffset)
        throw new StudioError('invalid_request', 'The page lies too far out.');
      const list = await listProjects(database, { account: bearer.account.id, page, limit, search });
      return { projects: list.projects.map((row) => present(row, mediaUrl)), has_more: list.hasMore };
    },
    createProject: async ({ body: { title }, bearer }) => {
      checkTitle(title);
      const id = newId('prj_');
      await insertProject(database, { id, account: bearer.account.id, title });
      return get(bearer.account.id, id);
    },
    getProject: async ({ params, bearer }) => get(bearer.account.id, params.id),
    renameProject: async ({ params: { id }, body: { title }, bearer }) => {
      checkTitle(title);
      const account = bearer.account.id;
      if (!(await updateTitle(database, { account, id, title }))) throw noSuchProject();
      return get(account, id);
    },
    deleteProject: async ({ params, bearer }) => {
      if (!(await deleteProjectRow(database, bearer.account.id, params.id))) throw noSuchProject();
      return { deleted: true };
    },
  };
}

function checkTitle(title: string): void {
  if (!titleShape.test(title))
    throw new StudioError('invalid_request', 'A title has letters, digits and spaces only.');
}

const noSuchProject = () => new StudioError('not_found', 'There is no such project.');

function present(row: ProjectRow, mediaUrl: string): StudioProject {
  return {
    id: row.id,
    title: row.title,
    updated_at: row.updated_at,
    last_generation:
      row.last_type === null
        ? null
        : {
            type: row.last_type,
            url: row.last_url === null ? null : mediaUrl + row.last_url,
            thumb_url: row.last_thumb === null ? null : mediaUrl + row.last_thumb,
            nsfw: row.last_nsfw === true,
          },
  };
}
