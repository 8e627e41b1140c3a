import type { Database } from '@renderkit/server-kit/database.ts';
import { noSuchEndpoint } from './no-such-endpoint.ts';
import type { SigningSecrets } from './signing-secret.ts';
import { type Owner, replaceSecret } from './store.ts';

/** How long deliveries carry a signature of the old secret too. */
const overlapSeconds = 24 * 60 * 60;

/** Gives an endpoint a new secret; for a day the old one signs too. @throws ApiProblem `not_found` */
export async function rotateSecret(
  database: Database,
  secrets: SigningSecrets,
  endpointId: string,
  owner: Owner = {},
): Promise<string> {
  const { secret, sealed } = secrets.create(endpointId);
  if (!(await replaceSecret(database, endpointId, sealed, { ...owner, overlapSeconds })))
    throw noSuchEndpoint();
  return secret;
}
