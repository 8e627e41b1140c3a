import type { StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import type { Project } from '@renderkit/contract/v1/schemas/project.ts';

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
