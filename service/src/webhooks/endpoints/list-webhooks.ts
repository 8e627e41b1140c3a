import type { Database } from '@renderkit/server-kit/db/database.ts';
import { noSuchEndpoint } from './no-such-endpoint.ts';
import { type ListedWebhook, presentWebhook } from './present.ts';
import { selectEndpoint, selectEndpoints } from './store.ts';

export type { ListedWebhook } from './present.ts';

/** The endpoints of an account, oldest first. */
export async function listWebhooks(database: Database, accountId: string): Promise<ListedWebhook[]> {
  return (await selectEndpoints(database, accountId)).map(presentWebhook);
}

/** One of an account's endpoints. @throws ApiProblem `not_found` */
export async function showWebhook(
  database: Database,
  endpointId: string,
  accountId: string,
): Promise<ListedWebhook> {
  const row = await selectEndpoint(database, endpointId, { accountId });
  if (row === undefined) throw noSuchEndpoint();
  return presentWebhook(row);
}
