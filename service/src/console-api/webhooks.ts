import type { Webhook } from '@renderkit/contract/console/schemas/webhook.ts';
import type { Cidr } from '@renderkit/egress/public-address.ts';
import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { KeyedMutex } from '@renderkit/server-kit/work/mutex.ts';
import { listOfAll } from '../http/list-page.ts';
import { utcMoment } from '../iso-time.ts';
import { showDelivery } from '../webhooks/deliveries/list-deliveries.ts';
import { recoverDeliveries } from '../webhooks/deliveries/resend-delivery.ts';
import { noSuchEndpoint } from '../webhooks/endpoints/act-on-endpoint.ts';
import { createWebhook } from '../webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../webhooks/endpoints/delete-webhook.ts';
import {
  listWebhooks,
  readHealth,
  showWebhook,
  type WebhookHealth,
} from '../webhooks/endpoints/list-webhooks.ts';
import { pingWebhook } from '../webhooks/endpoints/ping-webhook.ts';
import type { ListedWebhook } from '../webhooks/endpoints/present.ts';
import {
  type RevealedSecret,
  revealSecret,
  rotateSecret,
  type SigningSecrets,
} from '../webhooks/endpoints/signing-secrets.ts';
import { updateWebhook } from '../webhooks/endpoints/update-webhook.ts';
import { askerOf, type ConsoleHandlers } from './console-handler.ts';

const noHealth: WebhookHealth = { delivered: 0, failed: 0, pending: 0 };

/**
 * Manages a person's webhook endpoints. `allow`: networks that endpoints may be in although they are not public.
 * `accountMutex`: many tests of one account at once wait there, instead of each holding a database connection.
 * `service/src/webhooks/endpoints/validate-endpoint.ts` checks the addresses of endpoints.
 */
export function webhookHandlers(deps: {
  database: Database;
  accountMutex: KeyedMutex;
  secrets: SigningSecrets;
  allow: readonly Cidr[];
  resolver?: NameResolver | undefined;
}): Pick<
  ConsoleHandlers,
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'revealWebhookSecret'
  | 'rotateWebhookSecret'
  | 'pingWebhook'
  | 'recoverDeliveries'
> {
  const { database, secrets } = deps;

  const show = async (accountId: string, endpointId: string): Promise<Webhook> => {
    const [webhook] = await presentWithHealth(database, [await showWebhook(database, endpointId, accountId)]);
    if (webhook === undefined) throw noSuchEndpoint();
    return webhook;
  };

  return {
    listWebhooks: async ({ person }) =>
      listOfAll(await presentWithHealth(database, await listWebhooks(database, person.accountId)), {}),

    createWebhook: async ({ person, body }) => {
      const { accountId, actor } = askerOf(person);
      const wanted = { ...deps, accountId, url: body.url, events: body.events };
      const { id, secret } = await createWebhook(database, secrets, wanted, actor);
      return { ...(await show(accountId, id)), secret };
    },

    getWebhook: ({ person, params }) => show(person.accountId, params.id),

    updateWebhook: async ({ person, params, body }) => {
      const { id } = params;
      await updateWebhook(database, id, body, askerOf(person), deps);
      return show(person.accountId, id);
    },

    deleteWebhook: async ({ person, params }) => {
      const { id } = params;
      await deleteWebhook(database, id, askerOf(person));
      return { id, object: 'webhook_endpoint', deleted: true };
    },

    revealWebhookSecret: async ({ person, params }) => {
      const { id } = params;
      return presentSecret(id, await revealSecret(database, secrets, id, askerOf(person)));
    },

    rotateWebhookSecret: async ({ person, params }) => {
      const { id } = params;
      return presentSecret(id, await rotateSecret(database, secrets, id, askerOf(person)));
    },

    pingWebhook: async ({ person, params }) => {
      const { deliveryId } = await deps.accountMutex(person.accountId, () =>
        pingWebhook(database, params.id, askerOf(person)),
      );
      return (await showDelivery(database, deliveryId, person)).delivery;
    },

    recoverDeliveries: async ({ person, params, body }) => {
      const { id } = params;
      const resent = await recoverDeliveries(database, id, utcMoment(body.since), askerOf(person));
      return { id, object: 'recovered_deliveries', resent };
    },
  };
}

async function presentWithHealth(database: Database, webhooks: readonly ListedWebhook[]): Promise<Webhook[]> {
  const health = await readHealth(
    database,
    webhooks.map(({ id }) => id),
  );
  return webhooks.map((webhook) => presentWebhook(webhook, health.get(webhook.id) ?? noHealth));
}

function presentWebhook(webhook: ListedWebhook, health: WebhookHealth): Webhook {
  return {
    id: webhook.id,
    object: 'webhook_endpoint',
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    failing_since: webhook.failingSince,
    health,
    created_at: webhook.createdAt,
    paused_at: webhook.pausedAt,
  };
}

function presentSecret(id: string, { secret, previousUntil }: RevealedSecret) {
  return { id, object: 'webhook_secret' as const, secret, previous_until: previousUntil };
}
