/** A stored object of the OpenID provider: a grant, a session, a token or an interaction. */
export type StoredPayload = {
  payload: Record<string, unknown>;
  /** Seconds since 1970; `null` where it was not used, or may be used once more. */
  consumed_at_seconds: number | null;
};

export type NewPayload = {
  model: string;
  id: string;
  payload: Record<string, unknown>;
  /** Seconds. */
  expiresIn: number | undefined;
};

/** A person's data, for the provider's claims and the pages. */
export type Person = {
  id: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  username: string | null;
  /** How often the password was set. A session is valid while this is the value with which it began. */
  password_version: number;
};

export type StoredPassword = {
  id: string;
  /** `null`: nobody can sign in with a password. */
  password_hash: string | null;
  password_version: number;
};

/** A counter, named by its kind and parts, and the maximum number of tries within a window. */
export type Subject = { of: readonly string[]; max: number };

/**
 * Where sign-in stores its data. The host application implements this (`studio/src/identity/keep-identity.ts`), and
 * hashes the ids of tokens and sessions.
 */
export type IdentityStore = {
  /** Inserts or replaces. Returns `false` where its grant no longer exists. */
  writePayload: (payload: NewPayload) => Promise<boolean>;
  findPayload: (
    by: 'id' | 'uid' | 'user_code',
    model: string,
    value: string,
  ) => Promise<StoredPayload | undefined>;
  /**
   * Marks a payload as used. Returns `false` when it was used up before. A refresh token may be used twice, the second
   * time within a minute.
   */
  consumePayload: (model: string, id: string) => Promise<boolean>;
  deletePayload: (model: string, id: string) => Promise<void>;
  /** Deletes a grant with everything that belongs to it. */
  deleteGrant: (grantId: string) => Promise<void>;
  /** Deletes grants that have no token any more. */
  deleteSpentGrants: (accountId: string, clientId: string) => Promise<void>;
  /** Returns whether a valid grant gives the client all of these scopes. */
  hasGranted: (accountId: string, clientId: string, scopes: string[]) => Promise<boolean>;

  findPerson: (accountId: string) => Promise<Person | undefined>;
  findPassword: (email: string) => Promise<StoredPassword | undefined>;
  /** Returns the new account's id; `undefined` where the address is taken. `from` is the network address. */
  createAccount: (
    person: { email: string; name: string; passwordHash: string },
    from: string,
  ) => Promise<string | undefined>;
  /** Returns the new version; `undefined` where the account is gone, or its password has another version by now. */
  changePassword: (
    password: { accountId: string; passwordHash: string; version: number },
    from: string,
  ) => Promise<number | undefined>;
  /** Returns the account of a reset link; `undefined` where the link is not valid. */
  findReset: (token: string) => Promise<{ email: string } | undefined>;
  /** Sets the password and uses up the link. Returns `false` where the link is no longer valid. */
  resetPassword: (reset: { token: string; passwordHash: string }, from: string) => Promise<boolean>;

  /** Counts a try. Returns `undefined` when the try is allowed, else the seconds until the next one is. */
  countAttempt: (subject: Subject, windowSeconds: number) => Promise<number | undefined>;
  /** Takes back a try that succeeded, so that it does not count. */
  forgiveAttempt: (subjects: readonly Subject[]) => Promise<void>;
  isUnderMaintenance: () => Promise<boolean>;
};
