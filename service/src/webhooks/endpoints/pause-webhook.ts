import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { updateWebhook } from './update-webhook.ts';

/**
 * Stops an endpoint: nothing new is written for it and what is pending rests, pings excepted.
 * @throws ApiProblem `not_found`
 */
export function pauseWebhook(database: Database, endpointId: string, asker: Asker): Promise<void> {
  return updateWebhook(database, endpointId, { status: 'paused' }, asker);
}

/** Lets a paused endpoint go on: what fell due meanwhile is sent at once. @throws ApiProblem `not_found` */
export function resumeWebhook(database: Database, endpointId: string, asker: Asker): Promise<void> {
  return updateWebhook(database, endpointId, { status: 'active' }, asker);
}
