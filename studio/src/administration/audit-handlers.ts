import type { AdministrationAct } from '@renderkit/contract/studio/administration/audit.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AdminEntry, listActs } from '../audit/queries.ts';
import { StudioError } from '../errors.ts';
import type { AdministrationHandlers } from './handler.ts';

const defaultLimit = 20;
const farthestOffset = 1_000_000;

/** Lists what was done, by whom, and the state before and after. `studio/src/audit/admin-audit.ts` writes it. */
export function auditHandlers({
  database,
}: {
  database: Database;
}): Pick<AdministrationHandlers, 'listAdministrationAudit'> {
  return {
    listAdministrationAudit: async ({ query: { page = 1, limit = defaultLimit, subject } }) => {
      if ((page - 1) * limit > farthestOffset)
        throw new StudioError('invalid_request', 'The page lies too far out.', {
          errors: [{ field: 'page', message: 'must not lie so far out' }],
        });
      const { acts, hasMore } = await listActs(database, { page, limit, subject });
      return { acts: acts.map(presentAct), has_more: hasMore };
    },
  };
}

function presentAct({ actor, email, ...act }: AdminEntry): AdministrationAct {
  const [kind = '', account] = actor.split(':');
  return {
    ...act,
    actor:
      account === undefined
        ? // The three actors that are no account.
          ({ kind } as { kind: 'operator' | 'file' | 'product' })
        : { kind: 'administrator', account, email },
  };
}
