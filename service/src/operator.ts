/**
 * What an operator may do to the service's database: plain functions without HTTP. An operator has access to the
 * machine; API keys can never do these things. `stack/src/operator/commands.ts` lists the commands.
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
 * Stores a grant that the studio gave for one of its accounts. Makes our account the first time; later gives the same
 * account a new session. Returns our account's id.
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
 * Makes an API key for an account, named by its id or its e-mail address. Only this answer contains the text of the
 * key.
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

/** Revokes a key at once and permanently. A second call changes nothing. @throws ApiProblem `not_found` */
export function revokeKey(database: Database, keyId: string): Promise<void> {
  return revokeKeyOf(database, keyId, operator);
}

/**
 * Makes a webhook endpoint for an account. `egressAllow`: CIDRs that endpoints may be in although they are not public,
 * as in the service's own configuration.
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

/** Pauses an endpoint; it still receives pings. @throws ApiProblem `not_found` */
export function pauseWebhook(database: Database, endpointId: string): Promise<void> {
  return pauseWebhookOf(database, endpointId, operator);
}

/** Resumes a paused endpoint. @throws ApiProblem `not_found` */
export function resumeWebhook(database: Database, endpointId: string): Promise<void> {
  return resumeWebhookOf(database, endpointId, operator);
}

/** Deletes an endpoint and cancels its pending deliveries. @throws ApiProblem `not_found` */
export function deleteWebhook(database: Database, endpointId: string): Promise<void> {
  return deleteWebhookOf(database, endpointId, operator);
}

/** Sends a test event. Its delivery shows the result. @throws ApiProblem `not_found` */
export function pingWebhook(
  database: Database,
  endpointId: string,
): Promise<{ eventId: string; deliveryId: string }> {
  return pingWebhookOf(database, endpointId, operator);
}

/** Returns the secret that signs deliveries to an endpoint. @throws ApiProblem `not_found` */
export async function revealWebhookSecret(
  database: Database,
  secretKey: Buffer,
  endpointId: string,
): Promise<string> {
  return (await revealSecret(database, signingSecrets(secretKey), endpointId, operator)).secret;
}

/**
 * Gives an endpoint a new secret. For a day deliveries are signed with the old one too. @throws ApiProblem `not_found`
 */
export async function rotateWebhookSecret(
  database: Database,
  secretKey: Buffer,
  endpointId: string,
): Promise<string> {
  return (await rotateSecret(database, signingSecrets(secretKey), endpointId, operator)).secret;
}

/** Sends a delivery again. @throws ApiProblem `not_found`, `conflict` when its endpoint is paused or deleted */
export function resendDelivery(database: Database, deliveryId: string): Promise<void> {
  return resendDeliveryOf(database, deliveryId, operator);
}

/**
 * Sends again all deliveries to an endpoint that failed since `since` (ISO 8601). Returns how many. @throws ApiProblem
 */
export function recoverDeliveries(database: Database, endpointId: string, since: string): Promise<number> {
  return recoverDeliveriesOf(database, endpointId, since, operator);
}
