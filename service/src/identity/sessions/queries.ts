import type { Session } from '@renderkit/contract/console/schemas/session.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import { idle } from './store.ts';

type SessionRow = {
  id: string;
  created_at: Date;
  last_seen_at: Date;
  /** When the session expires: by its age or by its last use, whichever comes first. */
  expires_at: Date;
  user_agent: string | null;
  address: string | null;
};

/** Returns the live sessions of an account, newest first, at most 50. `currentId` is the session of the request. */
export async function listSessions(
  database: Database,
  accountId: string,
  currentId: string,
): Promise<Session[]> {
  const rows = await database.rows<SessionRow>(
    `select id, created_at, last_seen_at, least(expires_at, last_seen_at + ${idle}) as expires_at, user_agent, address
       from sessions
      where account_id = $1 and expires_at > clock() and last_seen_at > clock() - ${idle}
      order by created_at desc, id desc`,
    [accountId],
  );
  return rows.map((row) => ({
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

/** Returns those of the given sessions that are no longer valid. */
export async function readEndedSessions(database: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select asked.id from unnest($1::text[]) as asked (id)
      where not exists (select from sessions s
                         where s.id = asked.id and s.expires_at > clock() and s.last_seen_at > clock() - ${idle})`,
    [ids],
    'sessions_ended',
  );
  return rows.map(({ id }) => id);
}

/** Ends all sessions of an account when the transaction commits. */
export async function endSessionsOf(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.execute('delete from sessions where account_id = $1', [accountId]);
}
