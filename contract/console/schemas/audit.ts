import { Type, type Static } from 'typebox';
import { listOf, pageQuery } from '../../v1/schemas/list.ts';
import { closed, mapOf, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';
import { type AuditAction, type AuditActor, auditActionNames, auditActors } from '../audit-actions.ts';

export type { AuditAction, AuditActor };

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
