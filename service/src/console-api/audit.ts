import type { Database } from '@renderkit/server-kit/db/database.ts';
import { pageOf } from '../http/list-page.ts';
import { listAudit } from '../identity/audit/queries.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/** Lists what was done on a person's account, and who did it. */
export function auditHandlers(deps: { database: Database }): Pick<ConsoleHandlers, 'listAudit'> {
  return {
    listAudit: async ({ person, query }) => {
      const { page, limit, offset } = pageOf(query);
      const found = await listAudit(deps.database, {
        accountId: person.accountId,
        action: query.action,
        actor: query.actor,
        offset,
        limit: limit + 1,
      });
      return { object: 'list', data: found.slice(0, limit), page, limit, has_more: found.length > limit };
    },
  };
}
