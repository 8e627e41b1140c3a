/**
 * Every action that the audit log records, and its label on pages. `service/src/identity/audit/write-audit.ts` writes
 * them.
 */
export const auditActions = {
  'session.created': 'Signed in',
  'session.ended': 'Ended a session',
  'connection.renewed': 'Connected the studio',
  'key.created': 'Created an API key',
  'key.updated': 'Changed an API key',
  'key.revoked': 'Revoked an API key',
  'webhook.created': 'Created a webhook endpoint',
  'webhook.updated': 'Changed a webhook endpoint',
  'webhook.paused': 'Paused a webhook endpoint',
  'webhook.resumed': 'Resumed a webhook endpoint',
  'webhook.deleted': 'Deleted a webhook endpoint',
  'webhook.secret_revealed': 'Revealed a signing secret',
  'webhook.secret_rotated': 'Rotated a signing secret',
  'webhook.pinged': 'Sent a test delivery',
  'delivery.resent': 'Resent a delivery',
  'delivery.recovered': 'Resent failed deliveries',
  'generation.canceled': 'Canceled a generation',
  'generation.stopped': 'Stopped a generation',
} as const;
export type AuditAction = keyof typeof auditActions;
export const auditActionNames = Object.keys(auditActions) as AuditAction[];

export const auditActors = ['person', 'operator'] as const;
export type AuditActor = (typeof auditActors)[number];
