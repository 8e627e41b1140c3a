import type { Database } from '@renderkit/server-kit/database.ts';
import { announceDue } from '../events/announce-due.ts';
import { noSuchEndpoint } from './no-such-endpoint.ts';
import { type Owner, setPaused } from './store.ts';

/**
 * Stops an endpoint: nothing new is written for it and what is pending rests, pings excepted.
 * @throws ApiProblem `not_found`
 */
export async function pauseWebhook(database: Database, endpointId: string, owner: Owner = {}): Promise<void> {
  if (!(await setPaused(database, endpointId, true, owner))) throw noSuchEndpoint();
}

/** Lets a paused endpoint go on: what fell due meanwhile is sent at once. @throws ApiProblem `not_found` */
export async function resumeWebhook(
  database: Database,
  endpointId: string,
  owner: Owner = {},
): Promise<void> {
  if (!(await setPaused(database, endpointId, false, owner))) throw noSuchEndpoint();
  await announceDue(database, endpointId);
}
