import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { StackError } from '../stack-error.ts';

/** Whom a child process runs as: given to `spawn` as it is. */
export type OsAccount = { uid: number; gid: number };

/** There is no such account on this machine; the message says what to do. */
export class UnknownOsAccount extends StackError {
  override name = 'UnknownOsAccount';
}

/**
 * The account PostgreSQL must run as: undefined (our own) unless we are root, whom PostgreSQL refuses.
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

/** Whether the account may walk down to this directory and read it, by the mode bits on the way. */
export async function canReach(account: OsAccount | undefined, directory: string): Promise<boolean> {
  if (account === undefined) return true;
  return (await allows(account, directory, 0o5)) && (await canPass(account, path.dirname(directory)));
}

/** Whether the account may pass through this directory and all above it. */
export async function canPass(account: OsAccount, directory: string): Promise<boolean> {
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    if (!(await allows(account, at, 0o1))) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** Whether the mode of this one directory gives the account all of `wanted` (4 read, 2 write, 1 pass). */
export async function allows(account: OsAccount, directory: string, wanted: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(directory);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
