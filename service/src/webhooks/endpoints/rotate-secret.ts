import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { actOnEndpoint } from './act-on-endpoint.ts';
import type { RevealedSecret } from './reveal-secret.ts';
import type { SigningSecrets } from './signing-secrets.ts';
import { replaceSecret, selectSecret } from './store.ts';

/** How long deliveries carry a signature of the old secret too. */
const overlapSeconds = 24 * 60 * 60;

/** Gives an endpoint a new secret; for a day the old one signs too. @throws ApiProblem `not_found` */
export function rotateSecret(
  database: Database,
  secrets: SigningSecrets,
  endpointId: string,
  asker: Asker,
): Promise<RevealedSecret> {
  const { secret, sealed } = secrets.create(endpointId);
  return actOnEndpoint(database, endpointId, asker, async (transaction) => {
    await replaceSecret(transaction, endpointId, sealed, overlapSeconds);
    const now = await selectSecret(transaction, endpointId);
    return {
      acts: [{ action: 'webhook.secret_rotated' }],
      answer: { secret, previousUntil: now?.previous_until?.toISOString() ?? null },
    };
  });
}
