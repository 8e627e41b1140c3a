import { Type, type Static } from 'typebox';
import { eventTypes } from '../../v1/event-types.ts';
import { defaultPageSize, maxOffset, maxPageSize, maxPathIdCharacters } from '../../v1/limits.ts';
import { listOf } from '../../v1/schemas/list.ts';
import { closed, mapOf, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';
import { type DeliveryFailure, deliveryFailureNames } from '../delivery-failures.ts';
import { idParams } from './ids.ts';

export type { DeliveryFailure };

/**
 * The state of a delivery. `ended`: its endpoint was deleted before the delivery succeeded. The function
 * record_attempts decides between `pending`, `delivered` and `failed` (service/sql/functions).
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'ended'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const deliveryFields = {
  id: Type.String({ description: 'Starts with `dlv_`.' }),
  object: Type.Literal('delivery'),
  endpoint_id: Type.String(),
  url: Type.String({ description: 'Of its endpoint.' }),
  event_id: Type.String(),
  event_type: oneOf(eventTypes),
  status: oneOf(deliveryStatuses),
  attempts: Type.Integer({ description: 'Of the schedule, ended.' }),
  last_status: nullable(Type.Integer(), { description: 'Status of the last answer.' }),
  last_failure: nullable(oneOf(deliveryFailureNames)),
  last_attempt_at: nullable(Type.String({ format: 'date-time' })),
  next_attempt_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'Null: nothing is due, it is under way just now, or its endpoint is paused.',
  }),
  created_at: timestamp('When the event happened.'),
  completed_at: nullable(Type.String({ format: 'date-time' })),
};

export const Delivery = closed(deliveryFields, {
  title: 'Delivery',
  description: 'One event for one endpoint.',
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryAttempt = closed(
  {
    number: nullable(Type.Integer(), {
      description: 'Place in the schedule, from 1; null: an extra one, by hand.',
    }),
    started_at: timestamp('When it was begun.'),
    ended_at: nullable(Type.String({ format: 'date-time' }), { description: 'Null: it is under way.' }),
    duration_ms: nullable(Type.Integer()),
    status: nullable(Type.Integer()),
    failure: nullable(oneOf(deliveryFailureNames), {
      description: 'Null: it was a success, or is under way.',
    }),
    answer: nullable(Type.String(), { description: "The first kilobyte of the answer's body." }),
  },
  { title: 'DeliveryAttempt' },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const DeliveryDetail = closed(
  {
    ...deliveryFields,
    request: closed(
      {
        method: Type.Literal('POST'),
        headers: mapOf(Type.String(), {
          description: 'As each attempt sends them; the signature is made anew each time and not kept.',
        }),
        body: Type.String({ description: 'The same bytes on every attempt.' }),
      },
      { description: 'What is sent.' },
    ),
    attempts_made: Type.Array(DeliveryAttempt, { description: 'The newest first.' }),
  },
  { title: 'DeliveryDetail', description: 'A delivery with all of its attempts.' },
);
export type DeliveryDetail = Static<typeof DeliveryDetail>;

export const DeliveryList = listOf('DeliveryList', Delivery);
export const DeliveryParams = idParams('the delivery');

export const ListDeliveriesQuery = closed({
  endpoint_id: Type.Optional(Type.String({ minLength: 1, maxLength: maxPathIdCharacters })),
  event_id: Type.Optional(Type.String({ minLength: 1, maxLength: maxPathIdCharacters })),
  event_type: Type.Optional(oneOf(eventTypes)),
  status: Type.Optional(oneOf(deliveryStatuses)),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: maxOffset + 1, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxPageSize, default: defaultPageSize })),
});
