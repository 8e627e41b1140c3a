import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import { maxWebhookEndpoints } from '@renderkit/contract/v1/limits.ts';
import type { Cidr } from '@renderkit/egress/public-address.ts';
import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Actor } from '../../identity/audit/actor.ts';
import { writeAudit } from '../../identity/audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { SigningSecrets } from './signing-secrets.ts';
import { insertEndpoint } from './store.ts';
import { validateEndpoint } from './validate-endpoint.ts';

/**
 * Creates a webhook endpoint, which is active at once. Without events it gets only pings.
 * @throws ApiProblem `invalid_request`; `not_found` for an unknown account; `conflict` above 10 endpoints
 */
export async function createWebhook(
  database: Database,
  secrets: SigningSecrets,
  wanted: {
    accountId: string;
    url: string;
    events: readonly string[];
    /** Non-public networks that may be reached. */
    allow: readonly Cidr[];
    resolver?: NameResolver | undefined;
  },
  actor: Actor,
): Promise<{ id: string; secret: string }> {
  const { url, events } = await validateEndpoint(wanted, wanted);
  const id = newId(idPrefixes.webhook);
  const { secret, encrypted } = secrets.create(id);
  const outcome = await database.transaction(async (transaction) => {
    const { accountId } = wanted;
    const endpoint = { id, accountId, url, events, encryptedSecret: encrypted };
    const inserted = await insertEndpoint(transaction, endpoint, maxWebhookEndpoints);
    if (inserted === 'inserted')
      await writeAudit(transaction, actor, {
        accountId,
        action: 'webhook.created',
        subjectId: id,
        subjectName: url,
        details: { events: events.join(', ') },
      });
    return inserted;
  });
  switch (outcome) {
    case 'inserted':
      return { id, secret };
    case 'no_account':
      throw new ApiProblem('not_found', { detail: 'There is no such account.' });
    case 'too_many':
      throw new ApiProblem('conflict', {
        detail: `The account has ${maxWebhookEndpoints} webhook endpoints already: delete one first.`,
      });
    default:
      return outcome satisfies never;
  }
}
