import type { Actor } from '../identity/audit/actor.ts';
import type { Person } from './console-handler.ts';

/** A person asks for the own account, and for nothing of another. */
export function askerOf({ accountId, sessionId, email }: Person): { actor: Actor; accountId: string } {
  return { accountId, actor: { kind: 'person', sessionId, email } };
}
