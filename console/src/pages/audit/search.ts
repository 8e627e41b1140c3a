import {
  type AuditAction,
  type AuditActor,
  auditActionNames,
  auditActors,
} from '@renderkit/contract/console/audit-actions.ts';
import { choice, pageNumber } from '../../format/search-params.ts';

/** `of`: shows actions of administrators instead of actions of the account. */
export type AuditSearch = {
  of?: 'administration';
  action?: AuditAction;
  actor?: AuditActor;
  page?: number;
};

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return {
    of: choice(search['of'], ['administration']),
    action: choice(search['action'], auditActionNames),
    actor: choice(search['actor'], auditActors),
    page: pageNumber(search['page']),
  };
}
