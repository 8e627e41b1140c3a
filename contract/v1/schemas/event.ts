import { Type, type Static, type TSchema } from 'typebox';
import { eventDescriptions, type EventType } from '../event-types.ts';
import { Generation } from './generation.ts';
import { closed, timestamp } from './schema-builders.ts';
import { Upload } from './upload.ts';

function eventOf<T extends EventType, D extends TSchema>(type: T, data: D, title: string) {
  return closed(
    {
      id: Type.String({ description: 'Starts with `evt_`; the same on every delivery.' }),
      object: Type.Literal('event'),
      type: Type.Literal(type),
      created_at: timestamp('When it happened.'),
      data,
    },
    { title, description: eventDescriptions[type] },
  );
}

/** Body of a webhook delivery for each type of event (docs/api.md §6). */
export const eventSchemas = {
  'generation.succeeded': eventOf('generation.succeeded', Generation, 'GenerationSucceededEvent'),
  'generation.failed': eventOf('generation.failed', Generation, 'GenerationFailedEvent'),
  'upload.ready': eventOf('upload.ready', Upload, 'UploadReadyEvent'),
  'upload.rejected': eventOf('upload.rejected', Upload, 'UploadRejectedEvent'),
  ping: eventOf(
    'ping',
    closed(
      { message: Type.String({ description: 'A sentence for people.' }) },
      { description: 'Nothing has happened but the test.' },
    ),
    'PingEvent',
  ),
} as const satisfies Record<EventType, TSchema>;

export type Event = { [T in EventType]: Static<(typeof eventSchemas)[T]> }[EventType];
