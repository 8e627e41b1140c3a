import { eventDescriptions, type EventType } from '@renderkit/contract/v1/event-types.ts';
import { deliveryHeaders, deliveryUserAgent } from '@renderkit/contract/v1/headers.ts';
import { webhookSignatureToleranceSeconds, webhookTimeoutSeconds } from '@renderkit/contract/v1/limits.ts';
import { eventSchemas } from '@renderkit/contract/v1/schemas/event.ts';
import { attemptDelaySeconds } from '@renderkit/service/webhooks/retry-schedule.ts';

type Json = { [key: string]: unknown };

/** The tag of all webhooks. */
export const webhookTag = {
  name: 'Webhooks',
  description:
    'What the service sends to the endpoints of an account. A person makes endpoints in the console, with the types that each subscribes to and a signing secret.',
};

/** Returns the part `webhooks` of the document: what a receiver gets for each type of event, and how it may answer. */
export function describeWebhooks(types: readonly EventType[], convert: (schema: object) => Json): Json {
  return Object.fromEntries(types.map((type) => [type, { post: describeWebhook(type, convert) }]));
}

function describeWebhook(type: EventType, convert: (schema: object) => Json): Json {
  return {
    operationId: `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [webhookTag.name],
    summary: type,
    description: [
      eventDescriptions[type],
      '',
      `Check \`${deliveryHeaders.signature}\` before the body is believed. Events may come out of order and, rarely, twice:`,
      'go by `id`, and by `created_at` for what is newest.',
    ].join('\n'),
    // The signature identifies the sender, so there is no key.
    security: [],
    parameters: headersOf(type),
    requestBody: { required: true, content: { 'application/json': { schema: convert(eventSchemas[type]) } } },
    responses: {
      '2XX': { description: `Delivered, if it comes within ${webhookTimeoutSeconds} seconds.` },
      default: {
        description: `Anything else, a redirect too, is a failure: it is tried again, ${attemptDelaySeconds.length} times in all.`,
      },
    },
  };
}

function headersOf(type: EventType): Json[] {
  const header = (name: string, description: string, schema: Json) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema,
  });
  return [
    header(deliveryHeaders.event, 'The type of the event, as in the body.', { type: 'string', const: type }),
    header(deliveryHeaders.delivery, 'Id of the delivery, the same on every attempt.', {
      type: 'string',
      pattern: '^dlv_',
    }),
    header(
      deliveryHeaders.signature,
      '`t`, Unix seconds, and `v1`, the HMAC-SHA256 in lower-case hexadecimal of `t`, a dot and the raw body under the ' +
        'whole secret, `whsec_` included. For a day after a rotation of the secret there are two `v1`. Refuse what is more ' +
        `than ${webhookSignatureToleranceSeconds} seconds off.`,
      { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}(,v1=[0-9a-f]{64})?$' },
    ),
    header('User-Agent', 'Who sends it.', { type: 'string', const: deliveryUserAgent }),
  ];
}
