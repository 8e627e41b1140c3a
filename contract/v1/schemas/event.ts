import { Type, type Static, type TSchema } from 'typebox';
import {
  eventDescriptions,
  type EventType,
  streamEventTypes,
  streamOnlyEventDescriptions,
  type StreamEventType,
} from '../event-types.ts';
import { Generation } from './generation.ts';
import { listOf, pageQuery } from './list.ts';
import { closed, timestamp } from './schema-builders.ts';
import { Upload } from './upload.ts';

function eventOf<T extends EventType | StreamEventType, D extends TSchema>(type: T, data: D, title: string) {
  return closed(
    {
      id: Type.String({ description: 'Starts with `evt_`; the same on every delivery.' }),
      object: Type.Literal('event'),
      type: Type.Literal(type),
      created_at: timestamp('When it happened.'),
      data,
    },
    { title, description: { ...eventDescriptions, ...streamOnlyEventDescriptions }[type] },
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

/**
 * Events in the stream of an account (docs/api.md §6): the events that webhooks get, and those that only the stream
 * reports.
 */
export const streamEventSchemas = {
  'generation.created': eventOf('generation.created', Generation, 'GenerationCreatedEvent'),
  'generation.running': eventOf('generation.running', Generation, 'GenerationRunningEvent'),
  'generation.canceled': eventOf('generation.canceled', Generation, 'GenerationCanceledEvent'),
  'generation.succeeded': eventSchemas['generation.succeeded'],
  'generation.failed': eventSchemas['generation.failed'],
  'upload.ready': eventSchemas['upload.ready'],
  'upload.rejected': eventSchemas['upload.rejected'],
} as const satisfies Record<StreamEventType, TSchema>;

type StreamEvent = { [T in StreamEventType]: Static<(typeof streamEventSchemas)[T]> }[StreamEventType];

export const EventList = listOf(
  'EventList',
  Type.Unsafe<StreamEvent>({ anyOf: Object.values(streamEventSchemas) }),
);

/** Our ids have 30 characters; any other id is refused as unknown. */
const maxEventIdCharacters = 100;
const oneType = streamEventTypes.map((type) => type.replace('.', '\\.')).join('|');
/** One or more of the types, separated by commas. */
export const eventTypesPattern = `^(${oneType})(,(${oneType}))*$`;
const maxTypesCharacters = streamEventTypes.join(',').length;

export const ListEventsQuery = closed({
  types: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxTypesCharacters,
      pattern: eventTypesPattern,
      description: 'Only events of these types, with commas between them.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxEventIdCharacters,
      description: 'Id of an event: what came after it. The header `Last-Event-ID` goes before it.',
    }),
  ),
  ...pageQuery,
});
