import type { IncomingMessage } from 'node:http';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { Admitted } from '../admission/admit.ts';
import { type Cookie, hashOfToken } from './session-cookie.ts';
import { admitSession as readAndCount } from './store.ts';

/**
 * The limit of one session. A page sends a request every two seconds; the rest is for many tabs and for uploads.
 * `service/src/console-api/routes.ts` refuses more.
 */
export const requestsPerMinute = 600;

/** A request of a signed-in person: the person, and the principal for the HTTP API's handlers. */
export type AdmittedSession = Admitted & {
  person: {
    accountId: string;
    sessionId: string;
    email: string | null;
    /**
     * Until then the person counts as just signed in; null: no longer. `studio/src/administration/asker.ts` requires it
     * for some changes.
     */
    freshUntil: Date | null;
  };
};

export type SessionAdmission = {
  /** Returns whether the request carries what may be a session. Looks nothing up. */
  carriesSession: (request: IncomingMessage) => boolean;
  /**
   * Finds the session that a request carries in its cookie and counts the request in the session's minute.
   * @throws ApiProblem `unauthorized`: the same for a session that is missing, unknown, ended or expired
   */
  admit: (request: IncomingMessage) => Promise<AdmittedSession>;
};

const allScopes: ReadonlySet<(typeof scopes)[number]> = new Set(scopes);

/**
 * Looks up the session for each request and caches nothing, so that an ended session is refused at once. `lifetimeDays`
 * in `open-session.ts` and `idle` in `store.ts` say when a session expires.
 */
export function createSessionAdmission(database: Database, cookie: Cookie): SessionAdmission {
  return {
    carriesSession: (request) => hashOfToken(cookie.read(request)) !== undefined,
    admit: async (request) => {
      const tokenSha256 = hashOfToken(cookie.read(request));
      const row = tokenSha256 === undefined ? undefined : await readAndCount(database, tokenSha256);
      if (row === undefined) throw nobodySignedIn();
      return {
        person: {
          accountId: row.account_id,
          sessionId: row.session_id,
          email: row.email,
          freshUntil: row.fresh_until,
        },
        principal: {
          account: { id: row.account_id, studioId: row.studio_id, studioAccountId: row.studio_account_id },
          // Nobody can give a budget to the key that the console spends under.
          key: { id: row.key_id, hasBudget: false },
          scopes: allScopes,
          actor: { kind: 'person', sessionId: row.session_id, email: row.email },
        },
        limit: requestsPerMinute,
        number: row.requests,
        secondsLeft: row.seconds_left,
      };
    },
  };
}

export function nobodySignedIn(): ApiProblem {
  return new ApiProblem('unauthorized', { detail: 'Nobody is signed in: sign in to the console.' });
}
