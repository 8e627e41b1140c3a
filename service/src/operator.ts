/**
 * What an operator may do to the service's database: plain functions, no HTTP. An operator has the machine; API keys
 * can never do these things.
 */
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import { parseCidrs } from '@renderkit/egress/public-address.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { operator } from './identity/audit/actor.ts';
import { writeAudit } from './identity/audit/write-audit.ts';
import { createKey as createKeyOf, type NewKey } from './identity/keys/create-key.ts';
import { revokeKey as revokeKeyOf } from './identity/keys/revoke-key.ts';
import { findAccountByEmail } from './operator/queries.ts';
import { ApiProblem } from './problems/api-problem.ts';
import { connectAccount as connectAccountOf } from './studio-client/connect-account.ts';
import {
  recoverDeliveries as recoverDeliveriesOf,
  resendDelivery as resendDeliveryOf,
} from './webhooks/deliveries/resend-delivery.ts';
import { createWebhook as createWebhookOf } from './webhooks/endpoints/create-webhook.ts';
import { deleteWebhook as deleteWebhookOf } from './webhooks/endpoints/delete-webhook.ts';
import { pingWebhook as pingWebhookOf } from './webhooks/endpoints/ping-webhook.ts';
import { revealSecret, rotateSecret, signingSecrets } from './webhooks/endpoints/signing-secrets.ts';
import {
  pauseWebhook as pauseWebhookOf,
  resumeWebhook as resumeWebhookOf,
} from './webhooks/endpoints/update-webhook.ts';

export { deleteAccount } from './operator/delete-account.ts';
export { type AccountRow, findAccount, findAccountByEmail, listAccounts } from './operator/queries.ts';
export { type ListedKey, listKeys } from './identity/keys/list-keys.ts';
export { listWebhooks } from './webhooks/endpoints/list-webhooks.ts';
export type { ListedWebhook } from './webhooks/endpoints/present.ts';
export { listDeliveries, maxListedDeliveries, showDelivery } from './webhooks/deliveries/list-deliveries.ts';

/**
 * Takes in a grant that the studio gave for one of its accounts: makes our account on the first time, and gives the same
 * one a new session later. Returns our account's id.
 */
export function connectAccount(
  database: Database,
  secretKey: Buffer,
  grant: { studioId: string; studioAccountId: string; email: string | null; refreshToken: string },
): Promise<{ accountId: string }> {
  return connectAccountOf(database, secretKey, grant, (transaction, accountId) =>
    writeAudit(transaction, operator.actor, {
      accountId,
      action: 'connection.renewed',
      subjectId: accountId,
    }),
  );
}

/**
 * Makes an API key for an account, named by its id or its e-mail address. Its text is in the answer and nowhere else.
 * @throws ApiProblem
 */
export async function createKey(
  database: Database,
  wanted: Omit<NewKey, 'accountId' | 'scopes'> & { scopes?: readonly string[] } & (
      | { accountId: string }
      | { accountEmail: string }
    ),
): Promise<{ id: string; key: string }> {
  const accountId =
    'accountId' in wanted ? wanted.accountId : (await findAccountByEmail(database, wanted.accountEmail))?.id;
  if (accountId === undefined) throw new ApiProblem('not_found', { detail: 'There is no such account.' });
  // createKey validates the names of scopes.
  return createKeyOf(
    database,
    { ...wanted, accountId, scopes: wanted.scopes as readonly Scope[] | undefined },
    operator.actor,
  );
}

/** Ends a key at once and for good; a second time it changes nothing. @throws ApiProblem `not_found` */
export function revokeKey(database: Database, keyId: string): Promise<void> {
  return revokeKeyOf(database, keyId, operator);
}

/**
 * Makes a webhook endpoint for an account. `egressAllow`: blocks that may be reached though they are not public, as the
 * service's own configuration has them.
 * @throws ApiProblem `invalid_request`, `not_found`, `conflict` past 10 endpoints
 */
export function createWebhook(
  database: Database,
  secretKey: Buffer,
  wanted: { accountId: string; url: string; events: readonly string[]; egressAllow: readonly string[] },
): Promise<{ id: string; secret: string }> {
  return createWebhookOf(
    database,
    signingSecrets(secretKey),
    { ...wanted, allow: parseCidrs(wanted.egressAllow.join(',')) },
    operator.actor,
  );
}

/** Stops an endpoint; pings still reach it. @throws ApiProblem `not_found` */
export function pauseWebhook(database: Database, endpointId: string): Promise<void> {
  return pauseWebhookOf(database, endpointId, operator);
}

/** Lets a paused endpoint go on. @throws ApiProblem `not_found` */
export function resumeWebhook(database: Database, endpointId: string): Promise<void> {
  return resumeWebhookOf(database, endpointId, operator);
}

/** Deletes an endpoint and ends what is pending for it. @throws ApiProblem `not_found` */
export function deleteWebhook(database: Database, endpointId: string): Promise<void> {
  return deleteWebhookOf(database, endpointId, operator);
}

/** Sends a test event, whose delivery shows what came of it. @throws ApiProblem `not_found` */
export function pingWebhook(
  database: Database,
  endpointId: string,
): Promise<{ eventId: string; deliveryId: string }> {
  return pingWebhookOf(database, endpointId, operator);
}

/** The secret that deliveries to an endpoint are signed with. @throws ApiProblem `not_found` */
export async function revealWebhookSecret(
  database: Database,
  secretKey: Buffer,
  endpointId: string,
): Promise<string> {
  return (await revealSecret(database, signingSecrets(secretKey), endpointId, operator)).secret;
}

/** Gives an endpoint a new secret; for a day the old one signs too. @throws ApiProblem `not_found` */
export async function rotateWebhookSecret(
  database: Database,
  secretKey: Buffer,
  endpointId: string,
): Promise<string> {
  return (await rotateSecret(database, signingSecrets(secretKey), endpointId, operator)).secret;
}

/** Sends a delivery once more. @throws ApiProblem `not_found`, `conflict` where its endpoint is paused or deleted */
export function resendDelivery(database: Database, deliveryId: string): Promise<void> {
  return resendDeliveryOf(database, deliveryId, operator);
}

/** Sends everything once more that failed at an endpoint since then (ISO 8601); how many. @throws ApiProblem */
export function recoverDeliveries(database: Database, endpointId: string, since: string): Promise<number> {
  return recoverDeliveriesOf(database, endpointId, since, operator);
}
