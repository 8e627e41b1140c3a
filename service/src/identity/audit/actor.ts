/** Who acts: a person signed in to the console, or the operator of the machine. */
export type Actor = { kind: 'operator' } | { kind: 'person'; sessionId: string; email: string | null };

/**
 * Who asks for a change, and the only account that the change may concern. Objects of other accounts count as unknown.
 * Without `accountId`, as for the operator, every account is allowed.
 */
export type Asker = { actor: Actor; accountId?: string | undefined };

export const operator: Asker = { actor: { kind: 'operator' } };
