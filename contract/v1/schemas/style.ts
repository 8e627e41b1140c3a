import { Type, type Static } from 'typebox';
import { listOf, optionalPageQuery } from './list.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, oneOf } from './schema-builders.ts';

export const styleTypes = ['image', 'video'] as const;

export const Style = closed(
  {
    id: Type.String({ description: 'Sent in `styles` of a request.' }),
    object: Type.Literal('style'),
    name: Type.String({ description: 'What people call it.' }),
    type: oneOf(styleTypes, { description: 'What it can be applied to.' }),
    custom: Type.Boolean({ description: "True for the account's own styles." }),
  },
  {
    title: 'Style',
    description: 'A look that can be laid over a generation.',
    examples: [realAnswers.style],
  },
);

export type Style = Static<typeof Style>;

export const StyleList = listOf('StyleList', Style);

export const ListStylesQuery = closed({ ...optionalPageQuery });
