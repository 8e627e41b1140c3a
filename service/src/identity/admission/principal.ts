import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Actor } from '../audit/actor.ts';

/** Who acts: modules take this and never a request. An API key makes one; so may a console session. */
export type Principal = {
  account: {
    id: string;
    /** The studio's stored id and the account's id there. */
    studioId: string;
    studioAccountId: string;
  };
  key: {
    id: string;
    /** Whether it had a daily budget when the request was let in; how much is left of it is read when it is needed. */
    hasBudget: boolean;
  };
  scopes: ReadonlySet<Scope>;
  /** The person of a console's session, whose acts are written down; an API key has none. */
  actor?: Actor | undefined;
};
