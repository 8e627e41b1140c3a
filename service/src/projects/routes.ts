import { defaultProjectTitle } from '@renderkit/contract/v1/schemas/project.ts';
import type { Handlers } from '../handler.ts';
import { pageOf } from '../list-page.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translated } from '../studio-client/translate-error.ts';
import { presentProject } from './present.ts';

/** Projects are the studio's (specification §4): nothing of them is kept here. */
export function projectsRoutes({
  studioClient,
}: {
  studioClient: StudioClient;
}): Pick<Handlers, 'listProjects' | 'createProject' | 'getProject'> {
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
      return presentProject(await translated(call.catch(asNotFound)));
    },
  };
}

/** An id that the studio cannot even read is nobody's project. */
function asNotFound(error: unknown): never {
  if (
    error instanceof StudioFailure &&
    (error.studioCode === 'not_found' || error.studioCode === 'invalid_request')
  )
    throw new ApiProblem('not_found', { detail: 'There is no such project.', cause: error });
  throw error;
}
