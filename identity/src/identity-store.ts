/** A row of what the OpenID provider keeps: a grant, a session, a token, an interaction. */
export type StoredPayload = {
  payload: Record<string, unknown>;
  /** Seconds since 1970; null where it was not used, or may be used once more. */
  consumed_at_seconds: number | null;
};

export type NewPayload = {
  model: string;
  id: string;
  payload: Record<string, unknown>;
  /** Seconds. */
  expiresIn: number | undefined;
};

/** Who somebody is, for the provider's claims and the pages. */
export type Person = {
  id: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  username: string | null;
  /** How often the password was set; a session is good while it is the one that it began with. */
  password_version: number;
};

export type StoredPassword = {
  id: string;
  /** Null: nobody can sign in by a password. */
  password_hash: string | null;
  password_version: number;
};

/** What is counted together, named by its kind and parts, and how often within a window it may be tried. */
export type Subject = { of: readonly string[]; max: number };

/** Where signing in keeps its data. Whoever runs it implements this, and hides ids of tokens and sessions by hashing them. */
export type IdentityStore = {
  /** Inserts or replaces. False where the grant that it hangs on is gone. */
  writePayload: (payload: NewPayload) => Promise<boolean>;
  findPayload: (
    by: 'id' | 'uid' | 'user_code',
    model: string,
    value: string,
  ) => Promise<StoredPayload | undefined>;
  /** False when it was used up before: a refresh token may be used twice, the second time within a minute. */
  consumePayload: (model: string, id: string) => Promise<boolean>;
  deletePayload: (model: string, id: string) => Promise<void>;
  /** Ends a grant with all that hangs on it. */
  deleteGrant: (grantId: string) => Promise<void>;
  /** Removes grants that no token hangs on any more. */
  deleteSpentGrants: (accountId: string, clientId: string) => Promise<void>;
  /** Whether a grant that is still good gives the client all of these scopes. */
  hasGranted: (accountId: string, clientId: string, scopes: string[]) => Promise<boolean>;

  findPerson: (accountId: string) => Promise<Person | undefined>;
  findPassword: (email: string) => Promise<StoredPassword | undefined>;
  /** Returns the new account's id; undefined where the address is taken. `from` is the network address. */
  createAccount: (
    person: { email: string; name: string; passwordHash: string },
    from: string,
  ) => Promise<string | undefined>;
  /** Returns the new version; undefined where the account is gone, or has no longer the password of this version. */
  changePassword: (
    password: { accountId: string; passwordHash: string; version: number },
    from: string,
  ) => Promise<number | undefined>;
  /** Whose password a reset link sets; undefined where it is not good. */
  findReset: (token: string) => Promise<{ email: string } | undefined>;
  /** Sets the password and uses the link up. False where it is no longer good. */
  resetPassword: (reset: { token: string; passwordHash: string }, from: string) => Promise<boolean>;

  /** Counts a try. Undefined when it may go on; else the seconds until one may again. */
  countAttempt: (subject: Subject, windowSeconds: number) => Promise<number | undefined>;
  /** Takes a try back that turned out to be the person's own. */
  forgiveAttempt: (subjects: readonly Subject[]) => Promise<void>;
  isUnderMaintenance: () => Promise<boolean>;
};
