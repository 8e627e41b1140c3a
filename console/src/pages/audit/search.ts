import {
  type AuditAction,
  type AuditActor,
  auditActionNames,
  auditActors,
} from '@renderkit/contract/console/audit-actions.ts';
import { choice, pageNumber } from '../../format/search-params.ts';

export type AuditSearch = { action?: AuditAction; actor?: AuditActor; page?: number };

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return {
    action: choice(search['action'], auditActionNames),
    actor: choice(search['actor'], auditActors),
    page: pageNumber(search['page']),
  };
}
