import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { StackError } from '../stack-error.ts';

/** The account of a child process, passed to `spawn` as it is. */
export type OsAccount = { uid: number; gid: number };

/** There is no such account on this machine. The message says what to do. */
export class UnknownOsAccount extends StackError {
  override name = 'UnknownOsAccount';
}

/**
 * Returns the account for PostgreSQL: `undefined` (the current one) unless this process runs as root, which PostgreSQL
 * refuses.
 * @throws UnknownOsAccount
 */
export async function unprivilegedAccount(name = 'nobody'): Promise<OsAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const fields = users
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  const account = fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
  if (account === undefined || account.uid === 0)
    throw new UnknownOsAccount(
      `PostgreSQL does not run as root and there is no unprivileged account ${JSON.stringify(name)} to run it as: create it, or start Renderkit as an ordinary user.`,
    );
  return account;
}

/**
 * Returns whether the account can reach this directory and read it, by the mode bits of the directory and its parents.
 */
export async function canReach(account: OsAccount | undefined, directory: string): Promise<boolean> {
  if (account === undefined) return true;
  return (await allows(account, directory, 0o5)) && (await canPass(account, path.dirname(directory)));
}

/** Returns whether the account can pass through this directory and all its parents. */
export async function canPass(account: OsAccount, directory: string): Promise<boolean> {
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    if (!(await allows(account, at, 0o1))) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** Returns whether this directory's mode gives the account all of `wanted` (4 read, 2 write, 1 pass). */
export async function allows(account: OsAccount, directory: string, wanted: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(directory);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
