import { Type, type Static, type TSchema } from 'typebox';
import { generationKinds, type GenerationKind } from './generation.ts';
import { estimateRequests } from './generation-requests.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, nullable, oneOf } from './schema-builders.ts';

type EstimateBody = { [K in GenerationKind]: Static<(typeof estimateRequests)[K]> }[GenerationKind];

/**
 * The body of `POST /v1/estimate`. Only the branch for `kind` is validated, so that a wrong field is reported once and
 * not four times. The `if` errors that ajv adds contain no further information.
 */
export const EstimateRequest = Type.Unsafe<EstimateBody>({
  type: 'object',
  required: ['kind'],
  properties: { kind: oneOf(generationKinds, { description: 'What the create endpoint would make.' }) },
  allOf: generationKinds.map((kind) => ({
    if: { required: ['kind'], properties: { kind: { const: kind } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: estimateRequests[kind] as TSchema,
  })),
  title: 'EstimateRequest',
  description: 'The body of a create, and which create is meant.',
  examples: [{ kind: 'image', prompt: 'a lighthouse above a calm sea at dusk' }],
});
export type EstimateRequest = Static<typeof EstimateRequest>;

export const Estimate = closed(
  {
    object: Type.Literal('estimate'),
    kind: oneOf(generationKinds, { description: 'As in the request.' }),
    model: Type.String({ description: 'Id of the model that would render it.' }),
    credits: Type.Number({ description: 'What the generation would cost.' }),
    balance: nullable(Type.Number(), { description: 'Credits that can be spent now.' }),
    sufficient: nullable(Type.Boolean(), { description: 'Whether the balance covers the cost.' }),
    outputs: Type.Integer({ minimum: 0, description: 'How many outputs it would have.' }),
  },
  {
    title: 'Estimate',
    description: 'What a generation would cost.',
    examples: [realAnswers.estimate],
  },
);

export type Estimate = Static<typeof Estimate>;
