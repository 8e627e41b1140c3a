import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { actOnEndpoint } from './act-on-endpoint.ts';
import { noSuchEndpoint } from './no-such-endpoint.ts';
import type { SigningSecrets } from './signing-secrets.ts';
import { selectSecret } from './store.ts';

/** A signing secret; `previousUntil` (ISO 8601): until then the one before it signs too. */
export type RevealedSecret = { secret: string; previousUntil: string | null };

/** The secret that deliveries to an endpoint are signed with. @throws ApiProblem `not_found` */
export function revealSecret(
  database: Database,
  secrets: SigningSecrets,
  endpointId: string,
  asker: Asker,
): Promise<RevealedSecret> {
  return actOnEndpoint(database, endpointId, asker, async (transaction) => {
    const found = await selectSecret(transaction, endpointId);
    if (found === undefined) throw noSuchEndpoint();
    return {
      acts: [{ action: 'webhook.secret_revealed' }],
      answer: {
        secret: secrets.open(found.secret_sealed, endpointId),
        previousUntil: found.previous_until?.toISOString() ?? null,
      },
    };
  });
}
