import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { requestsPerMinute } from './admit-session.ts';
import { hashOfToken, newSessionToken } from './session-cookie.ts';
import { deleteSessionOfToken, insertSession, keepConsoleKey } from './store.ts';

/**
 * A session ends after this many days, even when it is in use. An unused session ends earlier: `idle` in `store.ts`.
 */
export const lifetimeDays = 30;
const maxUserAgentCharacters = 300;

/**
 * Begins a session, in the transaction that connected its account. The token is always a new one. A session that the
 * browser held before ends. `insertSession` in `store.ts` ends the oldest sessions of an account that has too many.
 */
export async function openSession(
  transaction: Transaction,
  person: {
    accountId: string;
    email: string | null;
    userAgent: string | undefined;
    address: string | undefined;
    previousToken: string | undefined;
    /** When the person proved who they are, in seconds since 1970; `undefined` when the studio does not report it. */
    authenticatedAt?: number | undefined;
  },
): Promise<{ sessionId: string; token: string }> {
  const sessionId = newId('ses_');
  const token = newSessionToken();
  const { accountId } = person;
  const previous = hashOfToken(person.previousToken);
  if (previous !== undefined) await deleteSessionOfToken(transaction, previous);
  await keepConsoleKey(transaction, {
    newId: newId('key_'),
    accountId,
    name: 'Console',
    rateLimitPerMinute: requestsPerMinute,
  });
  await insertSession(transaction, {
    id: sessionId,
    accountId,
    tokenSha256: hashOfToken(token) as string,
    lifetimeDays,
    userAgent: person.userAgent === undefined ? null : plainText(person.userAgent),
    address: person.address ?? null,
    authenticatedAt: person.authenticatedAt ?? null,
  });
  const actor = { kind: 'person', sessionId, email: person.email } as const;
  await writeAudit(transaction, actor, { accountId, action: 'connection.renewed', subjectId: accountId });
  await writeAudit(transaction, actor, { accountId, action: 'session.created', subjectId: sessionId });
  return { sessionId, token };
}

/** Makes a User-Agent readable: headers may contain bytes that are no printable characters, and any number of them. */
function plainText(userAgent: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it must not hold
  return userAgent.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, maxUserAgentCharacters);
}
