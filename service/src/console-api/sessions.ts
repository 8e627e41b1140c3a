import { scopes } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { RawReply } from '../http/handler.ts';
import { nobodySignedIn } from '../identity/sessions/admit-session.ts';
import { endSession } from '../identity/sessions/end-session.ts';
import { listSessions } from '../identity/sessions/queries.ts';
import type { Cookie } from '../identity/sessions/session-cookie.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/** Shows who is signed in and the person's other sessions; signs out. */
export function sessionHandlers(deps: {
  database: Database;
  cookie: Cookie;
  /**
   * Returns the address where a browser signs out of the studio too; null when the studio has none or cannot be asked.
   */
  studioSignOutUrl: () => Promise<string | null>;
  publicUrl: string;
  docsUrl: string;
  studioPublicUrl: string;
}): Pick<ConsoleHandlers, 'getSignedIn' | 'signOut' | 'listSessions' | 'endSession'> {
  const { database, cookie } = deps;
  const forgetting = { 'set-cookie': cookie.clear() };
  return {
    getSignedIn: async ({ person }) => {
      const sessions = await listSessions(database, person.accountId, person.sessionId);
      const session = sessions.find(({ current }) => current);
      // The session ended during this request.
      if (session === undefined) throw nobodySignedIn();
      return {
        object: 'signed_in',
        session,
        account: { id: person.accountId, email: person.email },
        base_url: deps.publicUrl,
        docs_url: deps.docsUrl,
        studio_url: deps.studioPublicUrl,
        scopes: [...scopes],
      };
    },

    signOut: async ({ person }) => {
      await endSession(database, person, person.sessionId);
      const body = { object: 'signed_out', studio_sign_out_url: await deps.studioSignOutUrl() };
      return new RawReply(200, JSON.stringify(body), forgetting);
    },

    listSessions: async ({ person }) => {
      const data = await listSessions(database, person.accountId, person.sessionId);
      return { object: 'list', data, page: 1, limit: Math.max(1, data.length), has_more: false };
    },

    endSession: async ({ person, params }) => {
      await endSession(database, person, params.id);
      const text = JSON.stringify({ id: params.id, object: 'session', ended: true });
      return new RawReply(200, text, params.id === person.sessionId ? forgetting : undefined);
    },
  };
}
