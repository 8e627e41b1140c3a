import { Type, type Static } from 'typebox';
import { closed, nullable } from '../../v1/schemas/schema-builders.ts';

/** A subject of a model that can draw only certain subjects. */
const Subject = closed({
  name: Type.String(),
  words: Type.Array(Type.String(), {
    description: 'Words of a prompt that it understands, in small letters; without plurals that end in s.',
  }),
});
export type Subject = Static<typeof Subject>;

/** Facts that help people to choose a model, in addition to those of /v1. */
const ModelFacts = closed(
  {
    id: Type.String({ description: 'Of the model.' }),
    object: Type.Literal('model_facts'),
    subjects: nullable(Type.Array(Subject), { description: 'Null: it draws whatever words say.' }),
    usual_seconds: nullable(Type.Number({ minimum: 0 }), {
      description: 'What one run usually takes; null where that is not known.',
    }),
  },
  { title: 'ModelFacts' },
);

export const ModelFactsList = closed(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelFacts),
  },
  { title: 'ModelFactsList' },
);
