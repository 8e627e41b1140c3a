import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import { paths } from '@renderkit/identity/account-pages/paths.ts';
import { hashPassword } from '@renderkit/identity/passwords/password.ts';
import { UnusableFile } from '@renderkit/media-kit/unusable-file.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createAccount as insertAccount } from './accounts/create-account.ts';
import { deleteAccount as deleteAccountOf } from './accounts/delete-account.ts';
import { PlanUnknown } from './accounts/find-plan.ts';
import { type AccountRow, findAccountByEmail, updateFault } from './accounts/queries.ts';
import { createResetToken } from './accounts/reset-link.ts';
import {
  type AccountSettings as StoredSettings,
  setAccount as setAccountOf,
} from './accounts/set-account.ts';
import { type AuditRow, listAudit } from './audit/queries.ts';
import { operator } from './audit/write-audit.ts';
import { readPlans } from './catalog/queries.ts';
import { type LedgerEntry, ledgerOf } from './credits/queries.ts';
import { connect as connectAccount, endConnections } from './identity/connections.ts';
import { keepSettings } from './settings/keep-settings.ts';
import type { MediaLocation } from '@renderkit/blob-storage/open-storage.ts';

// The operator's actions: plain functions over the studio's database. `stack/src/operator/commands.ts` lists the
// commands that call them. They work whether the studio runs or not. Credits are in 1/1000.

export { type AccountRow, listAccounts } from './accounts/queries.ts';
export { generatePassword } from '@renderkit/identity/passwords/password.ts';
export { listActs } from './audit/queries.ts';
export { checkLedger } from './credits/queries.ts';
export { setMaintenance } from './settings/keep-settings.ts';

/** An operator's request that cannot be met. The message is for the terminal. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Throws an OperatorError with the message of a known error, and any other error unchanged. */
function asOperatorError(error: unknown): never {
  if (error instanceof PlanUnknown) throw new OperatorError(error.message, { cause: error });
  throw error;
}

/** Returns the keys of all plans; the first is the plan of new accounts. */
export async function listPlanKeys(database: Database): Promise<string[]> {
  return (await database.transaction(readPlans)).map(({ key }) => key);
}

export type NewStudioAccount = {
  email: string;
  password?: string;
  name?: string;
  /** Key of a plan. */
  tier?: string;
  /** Exactly this amount, purchased; no monthly credits until the first renewal. `undefined`: the plan's allowance. */
  creditsMillicredits?: number;
};

/** Creates an account. @throws OperatorError when the address is taken, or there is no such plan */
export async function createAccount(database: Database, account: NewStudioAccount): Promise<AccountRow> {
  const id = await insertAccount(
    database,
    {
      email: account.email,
      passwordHash: account.password === undefined ? null : await hashPassword(account.password),
      name: account.name ?? account.email.split('@')[0] ?? null,
      tier: account.tier,
      creditsMillicredits: account.creditsMillicredits,
    },
    operator,
  ).catch(asOperatorError);
  if (id === undefined)
    throw new OperatorError(`There is already an account with the address ${account.email}.`);
  return showAccount(database, account.email);
}

export type AccountSettings = Omit<StoredSettings, 'passwordHash'> & { password?: string };

/**
 * Changes the named settings and leaves the others. A new plan's limits apply at once, its allowance from the next
 * renewal.
 * @throws OperatorError when there is no such account or plan
 */
export async function setAccount(
  database: Database,
  email: string,
  settings: AccountSettings,
): Promise<AccountRow> {
  const account = await showAccount(database, email);
  const { password, ...rest } = settings;
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  await setAccountOf(database, account, { ...rest, passwordHash }).catch(asOperatorError);
  return showAccount(database, email);
}

/**
 * Creates a link for setting a new password. The link can be used once, within an hour; older links of the account
 * become invalid. `studioUrl` is the URL that browsers use. `expires_at` is ISO 8601. @throws OperatorError when there
 * is no account
 */
export async function createResetLink(
  database: Database,
  email: string,
  studioUrl: string,
): Promise<{ link: string; expires_at: string }> {
  const { id } = await showAccount(database, email);
  const { token, expiresAt } = await createResetToken(database, id);
  const link = new URL(paths.resetPassword, studioUrl);
  link.searchParams.set('token', token);
  return { link: link.href, expires_at: expiresAt };
}

/**
 * Returns the audit entries about an account's sign-in, newest first. @throws OperatorError when there is no account
 */
export async function showAudit(database: Database, email: string): Promise<AuditRow[]> {
  return listAudit(database, (await showAccount(database, email)).id);
}

/** @throws OperatorError when there is no such account */
export async function showAccount(database: Database, email: string): Promise<AccountRow> {
  const account = await findAccountByEmail(database, email);
  if (account === undefined) throw new OperatorError(`There is no account with the address ${email}.`);
  return account;
}

export type Connection = { studioId: string; accountId: string; email: string; refreshToken: string };

/** Grants access to the service's client, with the operator's consent. Returns the refresh token. */
export async function grantForService(
  database: Database,
  email: string,
  clientId: string,
): Promise<Connection> {
  const account = await showAccount(database, email);
  const { studioId } = await keepSettings(database);
  const { refreshToken } = await connectAccount(database, account.id, clientId);
  return { studioId, accountId: account.id, email: account.email ?? email, refreshToken };
}

/**
 * Ends the client's grants of the account: its tokens stop working at once and cannot be refreshed. Returns how many.
 */
export async function endSession(database: Database, email: string, clientId: string): Promise<number> {
  const account = await showAccount(database, email);
  return endConnections(database, account.id, clientId);
}

/** Ends existing grants and creates a new one. */
export async function connect(database: Database, email: string, clientId: string): Promise<Connection> {
  await endSession(database, email, clientId);
  return grantForService(database, email, clientId);
}

export const faults = ['nonsense', 'rate', 'concurrency', 'silence'] as const;

/** Sets how the account's next quote fails, once. */
export async function setFault(
  database: Database,
  email: string,
  fault: (typeof faults)[number],
): Promise<void> {
  const account = await showAccount(database, email);
  await updateFault(database, account.id, fault);
}

/**
 * Deletes an account: removes its name and ends its grants at once. The studio erases texts and media when the account
 * has no unfinished render. The ledger's rows stay, without a name.
 */
export async function deleteAccount(database: Database, email: string): Promise<{ accountId: string }> {
  const account = await showAccount(database, email);
  await deleteAccountOf(database, account.id);
  await endConnections(database, account.id, undefined);
  return { accountId: account.id };
}

/** Returns all entries of an account's ledger, oldest first. */
export async function showLedger(database: Database, email: string): Promise<LedgerEntry[]> {
  return ledgerOf(database, (await showAccount(database, email)).id);
}

export type LibraryItem = MediaLocation & {
  email: string;
  /** Path of a JPEG, PNG, MP4 or MOV. */
  file: string;
  project?: string;
  prompt?: string;
};

/**
 * Adds a file to an account's library, as the studio's web application would add a generated file.
 * @throws OperatorError when the account, the project or a usable file is missing
 */
export async function addLibraryItem(database: Database, item: LibraryItem): Promise<StudioAsset> {
  const { id: account } = await showAccount(database, item.email);
  // Loaded here: the media modules are large, and no other command needs them.
  const [{ addItem }, { openMedia }] = await Promise.all([
    import('./library/add-item.ts'),
    import('./storage/open-media.ts'),
  ]);
  const media = await openMedia(database, item);
  const stopping = new AbortController().signal;
  try {
    const added = await addItem(
      { account, file: item.file, project: item.project ?? null, prompt: item.prompt ?? null },
      { ...media, stopping },
    );
    if (added === undefined) throw new OperatorError(`The account has no project ${item.project}.`);
    return added;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof UnusableFile || code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES')
      throw new OperatorError(`${item.file} cannot be added: ${(error as Error).message}`, { cause: error });
    throw error;
  }
}
