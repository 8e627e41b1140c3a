import { subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { readServiceConfig } from '@renderkit/service/config.ts';
import * as service from '@renderkit/service/operator.ts';
import { checkSecretKey } from '@renderkit/service/preflight/check-secret-key.ts';
import { accountInService, connectToService } from '../connect-to-service.ts';
import { type Answer, command, type Command, done } from './command.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { email, list, required, text } from './option.ts';

const endpoint = { id: required(text('ID')) };

/**
 * `service/src/webhooks/endpoints/validate-endpoint.ts` has the rules for endpoints, `signing-secrets.ts` beside it
 * those for secrets.
 */
export const webhookCommands: Command[] = [
  command({
    words: 'webhook create',
    about: `Makes a webhook endpoint; its secret can be revealed later. Events: ${subscribableEventTypes.join(', ')}.`,
    options: {
      email: required(email),
      url: required(text('U')),
      events: required(list(subscribableEventTypes)),
    },
    run: async ({ open }, values) => {
      const databases = await open();
      const accountId =
        (await accountInService(databases, values.email)) ??
        (await connectToService(databases, values.email)).accountId;
      const { egressAllow } = readServiceConfig(databases.environments.service);
      const { id, secret } = await service.createWebhook(databases.service, await secretKeyOf(databases), {
        accountId,
        url: values.url,
        events: values.events,
        egressAllow,
      });
      return secretAnswer(id, secret);
    },
  }),
  command({
    words: 'webhook list',
    about: 'Lists the webhook endpoints of an account.',
    options: { email: required(email) },
    run: async ({ open }, values) => {
      const databases = await open();
      const accountId = await accountInService(databases, values.email);
      const webhooks =
        accountId === undefined
          ? []
          : (await service.listWebhooks(databases.service, accountId)).map(presentWebhook);
      return {
        data: webhooks,
        lines:
          webhooks.length === 0
            ? ['There are no webhook endpoints.']
            : webhooks.map(
                (one) => `${one.id}  ${one.status.padEnd(6)}  ${one.url}  ${one.events.join(',')}`,
              ),
      };
    },
  }),
  command({
    words: 'webhook pause',
    about: 'Stops an endpoint: it gets nothing new and what is pending rests. Pings go through.',
    options: endpoint,
    run: async ({ open }, { id }) => {
      await service.pauseWebhook((await open()).service, id);
      return done({ id, status: 'paused' }, 'The endpoint is paused.');
    },
  }),
  command({
    words: 'webhook resume',
    about: 'Lets a paused endpoint go on; what fell due meanwhile is sent at once.',
    options: endpoint,
    run: async ({ open }, { id }) => {
      await service.resumeWebhook((await open()).service, id);
      return done({ id, status: 'active' }, 'The endpoint is active.');
    },
  }),
  command({
    words: 'webhook delete',
    about: 'Deletes an endpoint for good and ends what is pending for it.',
    options: endpoint,
    run: async ({ open }, { id }) => {
      await service.deleteWebhook((await open()).service, id);
      return done({ id, deleted: true }, 'The endpoint is deleted.');
    },
  }),
  command({
    words: 'webhook reveal',
    about: 'Shows the secret that deliveries are signed with.',
    options: endpoint,
    run: async ({ open }, { id }) => {
      const databases = await open();
      const secretKey = await secretKeyOf(databases);
      return secretAnswer(id, await service.revealWebhookSecret(databases.service, secretKey, id));
    },
  }),
  command({
    words: 'webhook rotate',
    about: 'Gives an endpoint a new secret; for 24 hours deliveries are signed with the old one too.',
    options: endpoint,
    run: async ({ open }, { id }) => {
      const databases = await open();
      const secretKey = await secretKeyOf(databases);
      return secretAnswer(id, await service.rotateWebhookSecret(databases.service, secretKey, id));
    },
  }),
  command({
    words: 'webhook ping',
    about: 'Sends a test event; deliveries show --id tells what came of it.',
    options: endpoint,
    run: async ({ open }, { id }) => {
      const { eventId, deliveryId } = await service.pingWebhook((await open()).service, id);
      return done(
        { id, event_id: eventId, delivery_id: deliveryId },
        `The ping is on its way as ${deliveryId}, if the service runs.`,
      );
    },
  }),
];

// Encrypted with a wrong key, a secret would be lost, and nobody would notice before a receiver refuses a signature.
async function secretKeyOf(databases: OperatorDatabases): Promise<Buffer> {
  const { secretKey } = readServiceConfig(databases.environments.service);
  await checkSecretKey(databases.service, secretKey);
  return secretKey;
}

function secretAnswer(id: string, secret: string): Answer {
  return { data: { id, secret }, lines: [`id      ${id}`, `secret  ${secret}`] };
}

function presentWebhook(webhook: service.ListedWebhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    created_at: webhook.createdAt,
    paused_at: webhook.pausedAt,
    failing_since: webhook.failingSince,
  };
}
