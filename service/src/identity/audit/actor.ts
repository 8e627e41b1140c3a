/** Who does something: a person signed in to the console, or whoever runs the machine. */
export type Actor = { kind: 'operator' } | { kind: 'person'; sessionId: string; email: string | null };

/**
 * Who asks for a change, and of which account it may be: what belongs to others is unknown to it. Without `accountId`,
 * as for the operator, of any.
 */
export type Asker = { actor: Actor; accountId?: string | undefined };

export const operator: Asker = { actor: { kind: 'operator' } };
