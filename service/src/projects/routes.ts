import type { StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import { type Project, defaultProjectTitle } from '@renderkit/contract/v1/schemas/project.ts';
import type { Handlers } from '../http/handler.ts';
import { pageOf } from '../http/list-page.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { asNotFound, translated } from '../studio-client/translate-error.ts';

const noSuchProject = asNotFound('There is no such project.');

/**
 * The studio keeps projects (docs/api.md §4); the service stores nothing of them. `contract/studio/project-title.ts`
 * has the rule for titles; `studio/sql/functions/delete_project.sql` decides what happens to the items of a deleted
 * project.
 */
export function projectsRoutes({
  studioClient,
}: {
  studioClient: StudioClient;
}): Pick<Handlers, 'listProjects' | 'createProject' | 'getProject' | 'updateProject' | 'deleteProject'> {
  return {
    listProjects: async ({ principal, query }) => {
      const { page, limit } = pageOf(query);
      const answer = await translated(
        studioClient.call('listProjects', {
          accountId: principal.account.id,
          query: { page, limit, ...(query.search !== undefined && { search: query.search }) },
        }),
      );
      return {
        object: 'list',
        data: answer.projects.map(presentProject),
        page,
        limit,
        has_more: answer.has_more,
      };
    },
    createProject: async ({ principal, body }) => {
      const title = body?.title ?? defaultProjectTitle;
      const call = studioClient.call('createProject', { accountId: principal.account.id, body: { title } });
      return presentProject(await translated(call));
    },
    getProject: async ({ principal, params }) => {
      const call = studioClient.call('getProject', { accountId: principal.account.id, params });
      return presentProject(await translated(call.catch(noSuchProject)));
    },
    updateProject: async ({ principal, params, body: { title } }) => {
      const accountId = principal.account.id;
      const call = studioClient.call('renameProject', { accountId, params, body: { title } });
      return presentProject(await translated(call.catch(noSuchProject)));
    },
    deleteProject: async ({ principal, params }) => {
      const call = studioClient.call('deleteProject', { accountId: principal.account.id, params });
      await translated(call.catch(noSuchProject));
      return { id: params.id, object: 'project', deleted: true };
    },
  };
}

export function presentProject(project: StudioProject): Project {
  const last = project.last_generation;
  return {
    id: project.id,
    object: 'project',
    title: project.title,
    updated_at: project.updated_at,
    last_generation: last && {
      type: last.type,
      url: last.url,
      thumb_url: last.thumb_url,
      nsfw: last.nsfw,
    },
  };
}
