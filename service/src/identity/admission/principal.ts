import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Actor } from '../audit/actor.ts';

/**
 * On whose behalf a module acts. Modules take a principal and never a request. An API key gives one (`admit.ts`), or a
 * console session (`service/src/identity/sessions/admit-session.ts`).
 */
export type Principal = {
  account: {
    id: string;
    /** The studio's id in our database, and the account's id at that studio. */
    studioId: string;
    studioAccountId: string;
  };
  key: {
    id: string;
    /**
     * Whether the key had a daily budget when the request was admitted. What is left of the budget is read when needed.
     */
    hasBudget: boolean;
  };
  /** `service/src/http/serve-operations.ts` checks them, for facades `service/src/facades/facade-scope.ts`. */
  scopes: ReadonlySet<Scope>;
  /** The person of a console session, whose actions are audited; `undefined` for an API key. */
  actor?: Actor | undefined;
};
