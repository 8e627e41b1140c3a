import { Type, type Static } from 'typebox';
import {
  maxProjectTitleCharacters,
  minProjectTitleCharacters,
  projectTitlePattern,
} from '../../studio/project-title.ts';
import { maxPathIdCharacters, maxSearchCharacters } from '../limits.ts';
import { listOf, pageQuery } from './list.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, nullable } from './schema-builders.ts';

/** Title of a project that was created without one. */
export const defaultProjectTitle = 'Untitled';

const LastGeneration = closed({
  type: nullable(Type.String(), { description: '`image` or `video`.' }),
  url: nullable(Type.String(), { description: 'A link to it.' }),
  thumb_url: nullable(Type.String(), { description: 'A link to a small picture of it.' }),
  nsfw: Type.Boolean({ description: 'Only for adults.' }),
});

export const Project = closed(
  {
    id: Type.String({ description: 'Sent as `project_id` of a request.' }),
    object: Type.Literal('project'),
    title: Type.String({ description: 'What people call it.' }),
    updated_at: nullable(Type.String({ format: 'date-time' }), {
      description: 'When it was last renamed or added to.',
    }),
    last_generation: nullable(LastGeneration, {
      description: 'The newest item in it, or null while it is empty.',
    }),
  },
  {
    title: 'Project',
    description: 'A folder for generated items.',
    examples: [realAnswers.project],
  },
);

export type Project = Static<typeof Project>;

export const ProjectList = listOf('ProjectList', Project);

export const DeletedProject = closed(
  {
    id: Type.String({ description: 'Id that the project had.' }),
    object: Type.Literal('project'),
    deleted: Type.Literal(true),
  },
  {
    title: 'DeletedProject',
    description: 'Says that the project is gone.',
    examples: [{ id: realAnswers.project.id, object: 'project', deleted: true }],
  },
);

const title = Type.String({
  minLength: minProjectTitleCharacters,
  maxLength: maxProjectTitleCharacters,
  pattern: projectTitlePattern,
  description: 'Letters, digits and white space.',
  examples: ['Autumn posters'],
});

export const CreateProjectRequest = closed(
  { title: Type.Optional(title) },
  {
    title: 'CreateProjectRequest',
    description: `May be left out; the title is then "${defaultProjectTitle}".`,
    examples: [{ title: 'Autumn posters' }],
  },
);

export const UpdateProjectRequest = closed(
  { title },
  { title: 'UpdateProjectRequest', description: 'A new title.', examples: [{ title: 'Winter posters' }] },
);

export const ListProjectsQuery = closed({
  search: Type.Optional(
    Type.String({ maxLength: maxSearchCharacters, description: 'Only projects whose title holds this.' }),
  ),
  ...pageQuery,
});

export const ProjectParams = closed({
  id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: 'Id of the project.' }),
});
