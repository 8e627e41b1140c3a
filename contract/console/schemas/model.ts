import { Type, type Static } from 'typebox';
import { closed } from '../../v1/schemas/schema-builders.ts';

/** What a model that cannot draw everything says that it can. */
export const ModelSubjects = closed(
  {
    id: Type.String({ description: 'Of the model.' }),
    object: Type.Literal('model_subjects'),
    subjects: Type.Array(
      closed({
        name: Type.String(),
        words: Type.Array(Type.String(), {
          description:
            'Words of a prompt that it understands, in small letters; without plurals that end in s.',
        }),
      }),
    ),
  },
  { title: 'ModelSubjects' },
);
export type ModelSubjects = Static<typeof ModelSubjects>;

export const ModelSubjectsList = closed(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelSubjects, {
      description: 'Models that are not in it draw whatever words say.',
    }),
  },
  { title: 'ModelSubjectsList' },
);
