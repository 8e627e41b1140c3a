import type { Database } from '@renderkit/server-kit/database.ts';
import { noSuchEndpoint } from './no-such-endpoint.ts';
import type { SigningSecrets } from './signing-secret.ts';
import { type Owner, selectSecret } from './store.ts';

/** The secret that deliveries to an endpoint are signed with. @throws ApiProblem `not_found` */
export async function revealSecret(
  database: Database,
  secrets: SigningSecrets,
  endpointId: string,
  owner: Owner = {},
): Promise<string> {
  const sealed = await selectSecret(database, endpointId, owner);
  if (sealed === undefined) throw noSuchEndpoint();
  return secrets.open(sealed, endpointId);
}
