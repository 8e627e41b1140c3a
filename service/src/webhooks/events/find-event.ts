import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { selectEventOf } from './store.ts';

/** The event that tells of a generation or an upload; undefined before it is written and after it was removed. */
export async function findEventOf(
  database: Database,
  about: { accountId: string; subjectId: string },
): Promise<{ id: string; type: EventType; createdAt: string } | undefined> {
  const row = await selectEventOf(database, about);
  return row && { id: row.id, type: row.type, createdAt: row.created_at.toISOString() };
}
