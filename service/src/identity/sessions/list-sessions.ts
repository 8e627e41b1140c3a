import type { Session } from '@renderkit/contract/console/schemas/session.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { selectSessions } from './store.ts';

/** The live sessions of an account, the newest first; `currentId` is the one that asks. */
export async function listSessions(
  database: Database,
  accountId: string,
  currentId: string,
): Promise<Session[]> {
  return (await selectSessions(database, accountId)).map((row) => ({
    id: row.id,
    object: 'session',
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    user_agent: row.user_agent,
    address: row.address,
    current: row.id === currentId,
  }));
}
