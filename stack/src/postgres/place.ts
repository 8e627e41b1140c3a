import { randomBytes } from 'node:crypto';
import { access, chmod, lstat, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allows, canPass, type OsAccount } from './os-account.ts';
import { StackError } from '../stack-error.ts';

/** Where one cluster's files are. */
export type ClusterPlace = {
  /** The folder that holds everything below; ours, others may only pass through. */
  root: string;
  /** PostgreSQL's own files; the server's account owns them. */
  dataDirectory: string;
  /** The superuser's password, readable by us alone. */
  passwordFile: string;
  /** Held by whoever runs the server. */
  lockFile: string;
  /** Names the directory of the running server's socket. */
  socketFile: string;
};

/** The pointer leads nowhere. */
export class ClusterLost extends StackError {
  override name = 'ClusterLost';
}

const pointerName = 'postgres.location';
/** Where the server's account can always get to, for data directories under a home that only root may enter. */
export const sharedDirectory = '/var/lib/renderkit';
/** sun_path holds 108 bytes with its end mark (104 on macOS); the socket's own name takes 18. */
const longestSocketDirectory = 85;

/**
 * Finds or chooses where the data directory's cluster lies: in its folder `postgres`, or, where the server's
 * account cannot get there, in a folder of its own under /var/lib/renderkit, with a file left that points to it.
 * @throws ClusterLost
 */
export async function findClusterPlace(
  dataDirectory: string,
  account: OsAccount | undefined,
): Promise<ClusterPlace> {
  const pointer = path.join(dataDirectory, pointerName);
  const pointed = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  if (pointed !== '') {
    // An empty cluster in its place would hide the loss.
    if (!(await exists(pointed)))
      throw new ClusterLost(
        `${pointer} says that the database lies in ${pointed}, which is gone: put it back, or remove ${dataDirectory} to begin anew.`,
      );
    return placeAt(pointed);
  }
  const inside = path.join(dataDirectory, 'postgres');
  if (account === undefined || (await exists(inside)) || (await openTheWay(account, dataDirectory))) {
    await makeDirectory(inside);
    return placeAt(inside);
  }
  await makeDirectory(sharedDirectory);
  const outside = path.join(sharedDirectory, `cluster-${randomBytes(6).toString('hex')}`);
  await makeDirectory(outside);
  await writeFile(pointer, `${outside}\n`, { flush: true });
  return placeAt(outside);
}

/** The directory for the server's socket: recorded, ours, and short enough for a socket's address. */
export async function socketDirectory(place: ClusterPlace): Promise<string> {
  const recorded = await recordedSocketDirectory(place);
  if (recorded !== undefined) return recorded;
  const near = path.join(place.root, 'run');
  const short = Buffer.byteLength(near) <= longestSocketDirectory;
  if (short) await makeDirectory(near);
  // A random name: in a directory for everyone a name that can be guessed could be taken first.
  const directory = short ? near : await mkdtemp(path.join(shortTemporaryDirectory(), 'renderkit-'));
  await writeFile(place.socketFile, `${directory}\n`);
  return directory;
}

/** The directory of the socket as last recorded, if it is still there; never one that somebody else made. */
export async function recordedSocketDirectory(place: ClusterPlace): Promise<string | undefined> {
  const recorded = (await readFile(place.socketFile, 'utf8').catch(() => '')).trim();
  if (recorded === '') return undefined;
  const found = await lstat(recorded).catch(() => undefined);
  const owner = (await stat(place.dataDirectory).catch(() => undefined))?.uid;
  const trusted = [process.getuid?.(), owner];
  return found?.isDirectory() && trusted.includes(found.uid) ? recorded : undefined;
}

function placeAt(root: string): ClusterPlace {
  return {
    root,
    dataDirectory: path.join(root, 'data'),
    passwordFile: path.join(root, 'password'),
    lockFile: path.join(root, 'lock'),
    socketFile: path.join(root, 'socket-directory'),
  };
}

/**
 * Whether the account gets to the data directory. The directory itself is ours, so passing through (not looking
 * around) is allowed to everyone; what lies above is not ours to change.
 */
async function openTheWay(account: OsAccount, dataDirectory: string): Promise<boolean> {
  const above = path.dirname(path.resolve(dataDirectory));
  if (!(await canPass(account, above))) return false;
  if (await allows(account, dataDirectory, 0o1)) return true;
  await chmod(dataDirectory, (await stat(dataDirectory)).mode | 0o011);
  return true;
}

function shortTemporaryDirectory(): string {
  // macOS gives every person a temporary directory with a long name.
  return Buffer.byteLength(tmpdir()) + 20 <= longestSocketDirectory ? tmpdir() : '/tmp';
}

async function makeDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o711);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
