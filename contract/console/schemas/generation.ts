import { Type, type Static } from 'typebox';
import { eventTypes } from '../../v1/event-types.ts';
import { maxAssetIdCharacters, maxPathIdCharacters, maxSearchCharacters } from '../../v1/limits.ts';
import { Generation, generationKinds, generationStatuses } from '../../v1/schemas/generation.ts';
import { listOf, pageQuery } from '../../v1/schemas/list.ts';
import { closed, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';
import { Delivery } from './delivery.ts';
import { idParams } from './ids.ts';

const GenerationKey = closed(
  {
    id: Type.String(),
    name: Type.String({ description: '`Console` for what was started here.' }),
    console: Type.Boolean({ description: 'True for what a signed-in person started.' }),
  },
  { title: 'GenerationKey', description: 'The key that asked for it.' },
);

const rowFields = {
  object: Type.Literal('generation_row'),
  generation: Generation,
  key: GenerationKey,
  prompt: nullable(Type.String(), {
    description: 'Its beginning; null where none was sent, or its texts were erased.',
  }),
};

/** A generation in a row of a table. */
export const GenerationRow = closed(rowFields, { title: 'GenerationRow' });
export type GenerationRow = Static<typeof GenerationRow>;

export const GenerationRowList = listOf('GenerationRowList', GenerationRow);

const GenerationEvent = closed(
  {
    id: Type.String({ description: 'Starts with `evt_`.' }),
    type: oneOf(eventTypes),
    created_at: timestamp('When it was written.'),
    deliveries: Type.Array(Delivery, { description: 'One for each endpoint that was subscribed.' }),
  },
  { title: 'GenerationEvent' },
);

const Provenance = closed(
  {
    id: Type.String({ description: "The output's." }),
    seed: nullable(Type.Integer({ minimum: 0 }), {
      description: 'That its job was given; null where the engine takes none.',
    }),
    model_version: nullable(Type.Integer({ minimum: 0 })),
    backend: nullable(Type.String(), { description: 'The name of the machine or provider that made it.' }),
    seconds: nullable(Type.Number({ minimum: 0 }), { description: 'That the job took which made it.' }),
  },
  { title: 'Provenance', description: 'How an output was made.' },
);

export const GenerationDetail = closed(
  {
    ...rowFields,
    object: Type.Literal('generation_detail'),
    request: closed({
      method: Type.Literal('POST'),
      path: Type.String({ description: 'Of the create that made it, `/v1/images/generations` for example.' }),
      body: Type.String({
        description:
          'JSON text as it was accepted. A mask that was sent as data is named by the upload it became.',
      }),
    }),
    provenance: Type.Array(Provenance, {
      description: 'One of each output; none where the studio does not tell.',
    }),
    event: nullable(GenerationEvent, { description: 'Null until it has succeeded or failed.' }),
  },
  { title: 'GenerationDetail', description: 'Everything that is known of a generation.' },
);
export type GenerationDetail = Static<typeof GenerationDetail>;

export const GenerationDetailParams = idParams('the generation');

export const ListGenerationRowsQuery = closed({
  status: Type.Optional(oneOf(generationStatuses)),
  kind: Type.Optional(oneOf(generationKinds)),
  key_id: Type.Optional(Type.String({ minLength: 1, maxLength: maxPathIdCharacters })),
  search: Type.Optional(
    Type.String({ maxLength: maxSearchCharacters, description: 'Only those whose prompt has these words.' }),
  ),
  source: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxAssetIdCharacters,
      description: 'Only those made from this item of the library.',
    }),
  ),
  created_from: Type.Optional(timestamp('Only those created then or later.')),
  created_before: Type.Optional(timestamp('Only those created earlier.')),
  ...pageQuery,
});
