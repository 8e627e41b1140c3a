import { Type, type Static } from 'typebox';
import { subscribableEventTypes } from '../../v1/event-types.ts';
import { listOf } from '../../v1/schemas/list.ts';
import { closed, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';
import { maxWebhookUrlCharacters } from '../limits.ts';
import { idParams } from './ids.ts';

export const webhookStatuses = ['active', 'paused'] as const;

const webhookFields = {
  id: Type.String({ description: 'Starts with `whk_`.' }),
  object: Type.Literal('webhook_endpoint'),
  url: Type.String(),
  events: Type.Array(oneOf(subscribableEventTypes), { description: 'Empty: it gets test deliveries alone.' }),
  status: oneOf(webhookStatuses),
  failing_since: nullable(Type.String({ format: 'date-time' }), {
    description:
      'Since when every attempt has failed, tests that failed aside; null: the last one succeeded, or there was none.',
  }),
  health: closed(
    {
      delivered: Type.Integer({ minimum: 0 }),
      failed: Type.Integer({ minimum: 0 }),
      pending: Type.Integer({ minimum: 0, description: 'Whatever their age.' }),
    },
    {
      description:
        'Of the newest 1,000 deliveries of the last 24 hours, at most. Tests count only as delivered.',
    },
  ),
  created_at: timestamp('When it was made.'),
  paused_at: nullable(Type.String({ format: 'date-time' })),
};

export const Webhook = closed(webhookFields, {
  title: 'WebhookEndpoint',
  description: 'Where events are sent to.',
});
export type Webhook = Static<typeof Webhook>;

export const CreatedWebhook = closed(
  {
    ...webhookFields,
    secret: Type.String({ description: 'Starts with `whsec_`; deliveries are signed with it.' }),
  },
  { title: 'CreatedWebhookEndpoint', description: 'A new endpoint with its signing secret.' },
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;

export const WebhookList = listOf('WebhookEndpointList', Webhook);
export const WebhookParams = idParams('the endpoint');

const url = Type.String({ minLength: 1, maxLength: maxWebhookUrlCharacters });
const events = Type.Array(oneOf(subscribableEventTypes), { uniqueItems: true });

export const CreateWebhookRequest = closed({ url, events });
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>;

export const UpdateWebhookRequest = closed({
  url: Type.Optional(url),
  events: Type.Optional(events),
  status: Type.Optional(
    oneOf(webhookStatuses, { description: '`paused` holds back what is due, `active` goes on.' }),
  ),
});
export type UpdateWebhookRequest = Static<typeof UpdateWebhookRequest>;

export const DeletedWebhook = closed({
  id: Type.String(),
  object: Type.Literal('webhook_endpoint'),
  deleted: Type.Literal(true),
});

export const WebhookSecret = closed({
  id: Type.String(),
  object: Type.Literal('webhook_secret'),
  secret: Type.String(),
  previous_until: nullable(Type.String({ format: 'date-time' }), {
    description: 'Until when the secret before it signs too; null: there is none.',
  }),
});
export type WebhookSecret = Static<typeof WebhookSecret>;

export const RecoverDeliveriesRequest = closed({
  since: timestamp('Every delivery that failed since then is sent once more, tests aside.'),
});

export const RecoveredDeliveries = closed({
  id: Type.String(),
  object: Type.Literal('recovered_deliveries'),
  resent: Type.Integer({ minimum: 0 }),
});
