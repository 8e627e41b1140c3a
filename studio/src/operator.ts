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

// What an operator does with the machine in hand: plain functions over the studio's database. They work whether
// the studio runs or not; credits are in 1/1000.

export { type AccountRow, listAccounts } from './accounts/queries.ts';
export { generatePassword } from '@renderkit/identity/passwords/password.ts';
export { listActs } from './audit/queries.ts';
export { checkLedger } from './credits/queries.ts';
export { setMaintenance } from './settings/keep-settings.ts';

/** A wish of the operator's that cannot be met; the message is for the terminal. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** What an operator wished for in vain, in the words of what found out. */
function asOperatorError(error: unknown): never {
  if (error instanceof PlanUnknown) throw new OperatorError(error.message, { cause: error });
  throw error;
}

/** Keys of the plans that there are; the first is that of new accounts. */
export async function listPlanKeys(database: Database): Promise<string[]> {
  return (await database.transaction(readPlans)).map(({ key }) => key);
}

export type NewStudioAccount = {
  email: string;
  password?: string;
  name?: string;
  /** Key of a plan. */
  tier?: string;
  /** Exactly this much, purchased, and no monthly credits until the first renewal; without it the plan's allowance. */
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
 * Changes what is named and leaves the rest. A new plan brings its limits at once and its allowance at the next renewal.
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
 * Makes a link by which somebody sets a new password: good once and for an hour, and older ones of the account end.
 * `studioUrl` is what browsers see. `expires_at` is ISO 8601. @throws OperatorError when there is no account
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

/** What was done to an account's way in, newest first. @throws OperatorError when there is no account */
export async function showAudit(database: Database, email: string): Promise<AuditRow[]> {
  return listAudit(database, (await showAccount(database, email)).id);
}

/** @throws OperatorError when there is none */
export async function showAccount(database: Database, email: string): Promise<AccountRow> {
  const account = await findAccountByEmail(database, email);
  if (account === undefined) throw new OperatorError(`There is no account with the address ${email}.`);
  return account;
}

export type Connection = { studioId: string; accountId: string; email: string; refreshToken: string };

/** The operator's own consent: a grant for the service's client, with the refresh token that it works by. */
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

/** Ends the client's grants of the account: its tokens stop working at once and cannot be refreshed. Returns how many. */
export async function endSession(database: Database, email: string, clientId: string): Promise<number> {
  const account = await showAccount(database, email);
  return endConnections(database, account.id, clientId);
}

/** Ends what there is and grants anew. */
export async function connect(database: Database, email: string, clientId: string): Promise<Connection> {
  await endSession(database, email, clientId);
  return grantForService(database, email, clientId);
}

export const faults = ['nonsense', 'rate', 'concurrency', 'silence'] as const;

/** How the account's next quote goes wrong, once. */
export async function setFault(
  database: Database,
  email: string,
  fault: (typeof faults)[number],
): Promise<void> {
  const account = await showAccount(database, email);
  await updateFault(database, account.id, fault);
}

/**
 * Deletes an account: its grants end and its name goes at once; texts and media are erased by the studio as soon
 * as nothing of it is rendering. The ledger's rows stay, without a name.
 */
export async function deleteAccount(database: Database, email: string): Promise<{ accountId: string }> {
  const account = await showAccount(database, email);
  await deleteAccountOf(database, account.id);
  await endConnections(database, account.id, undefined);
  return { accountId: account.id };
}

/** Every movement of an account's credits, oldest first. */
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
 * Adds a file to an account's library, as the studio's own web application would with what it has generated.
 * @throws OperatorError where the account, the project or a usable file is missing
 */
export async function addLibraryItem(database: Database, item: LibraryItem): Promise<StudioAsset> {
  const { id: account } = await showAccount(database, item.email);
  // What works with media is most of what there is to load, and no other command needs it.
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
