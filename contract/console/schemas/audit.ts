import { Type, type Static } from 'typebox';
import { listOf, pageQuery } from '../../v1/schemas/list.ts';
import { closed, mapOf, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';

/** Everything that is written down when it is done, and how a page says it. */
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
} as const;
export type AuditAction = keyof typeof auditActions;
export const auditActionNames = Object.keys(auditActions) as AuditAction[];

export const auditActors = ['person', 'operator'] as const;
export type AuditActor = (typeof auditActors)[number];

export const AuditEntry = closed(
  {
    id: Type.String({ description: 'Starts with `aud_`.' }),
    object: Type.Literal('audit_entry'),
    at: timestamp('When it was done.'),
    actor: oneOf(auditActors, { description: 'A signed-in person, or whoever runs the machine.' }),
    email: nullable(Type.String(), { description: "The person's address at that moment." }),
    session_id: nullable(Type.String()),
    action: oneOf(auditActionNames),
    subject_id: nullable(Type.String(), { description: 'Id of what it was done to.' }),
    subject_name: nullable(Type.String(), { description: 'What that was called at that moment.' }),
    details: mapOf(Type.String(), { description: 'What else there is to say. Never a secret.' }),
  },
  { title: 'AuditEntry', description: 'One thing that was done.' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditEntryList = listOf('AuditEntryList', AuditEntry);

export const ListAuditQuery = closed({
  action: Type.Optional(oneOf(auditActionNames)),
  actor: Type.Optional(oneOf(auditActors)),
  ...pageQuery,
});
