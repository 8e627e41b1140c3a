import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { deleteSession } from './store.ts';

/**
 * Ends a session of the person's own account: its next request is refused. Sessions expire by `lifetimeDays` in
 * `open-session.ts` and `idle` in `store.ts`.
 * @throws ApiProblem `not_found`
 */
export async function endSession(
  database: Database,
  person: { accountId: string; sessionId: string; email: string | null },
  id: string,
): Promise<void> {
  const { accountId, sessionId, email } = person;
  await database.transaction(async (transaction) => {
    if (!(await deleteSession(transaction, accountId, id)))
      throw new ApiProblem('not_found', { detail: 'There is no such session.' });
    await writeAudit(
      transaction,
      { kind: 'person', sessionId, email },
      { accountId, action: 'session.ended', subjectId: id },
    );
  });
}
