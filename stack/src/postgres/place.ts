import { randomBytes } from 'node:crypto';
import { access, lstat, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  makePrivateDirectory,
  privateDirectoryMode,
  privateFileMode,
  setMode,
} from '@renderkit/server-kit/files/private-files.ts';
import { filesOf } from '../data-directory.ts';
import { StackError } from '../stack-error.ts';
import { canPass, type OsAccount } from './os-account.ts';

/** Where one cluster's files are. */
export type ClusterPlace = {
  /**
   * The folder that contains everything below. This process's account owns it; the server's account may pass through.
   */
  root: string;
  /** PostgreSQL's own files; the server's account owns them. */
  dataDirectory: string;
  /** The superuser's password, readable only by this process's account. */
  passwordFile: string;
  /** The process that runs the server holds this lock. */
  lockFile: string;
  /** Contains the path of the running server's socket directory. */
  socketFile: string;
};

/** The pointer names a directory that does not exist. */
export class ClusterLost extends StackError {
  override name = 'ClusterLost';
}

/** A directory that the server's account can always reach, for data directories in a home that only root may enter. */
export const sharedDirectory = '/var/lib/renderkit';
/** sun_path has 108 bytes including its end mark (104 on macOS); the socket's name takes 18. */
const maxSocketDirectoryBytes = 85;

/**
 * Finds or chooses where the data directory's cluster lies: in its folder `postgres`. If the server's account cannot
 * reach that folder, in a new folder under /var/lib/renderkit; a file in the data directory then points there.
 * @throws ClusterLost
 */
export async function findClusterPlace(
  dataDirectory: string,
  account: OsAccount | undefined,
): Promise<ClusterPlace> {
  const pointer = filesOf(dataDirectory).clusterPointer;
  const pointed = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  if (pointed !== '') {
    // A new, empty cluster would hide the loss.
    if (!(await exists(pointed)))
      throw new ClusterLost(
        `${pointer} says that the database lies in ${pointed}, which is gone: put it back, or remove ${dataDirectory} to begin anew.`,
      );
    return placeAt(pointed);
  }
  const inside = path.join(dataDirectory, 'postgres');
  if (
    account === undefined ||
    (await exists(inside)) ||
    (await canPass(account, path.dirname(path.resolve(dataDirectory))))
  ) {
    const place = placeAt(inside);
    const server = await accountOf(place, account);
    // The server's account passes through these directories to its files. It may not list them, and others have no
    // access.
    for (const directory of [dataDirectory, inside]) await openTo(server, directory);
    for (const file of [place.passwordFile, place.lockFile, place.socketFile])
      await setMode(file, privateFileMode);
    return place;
  }
  await setMode(dataDirectory, privateDirectoryMode);
  const outside = path.join(sharedDirectory, `cluster-${randomBytes(6).toString('hex')}`);
  for (const directory of [sharedDirectory, outside]) await openTo(account, directory);
  await writeFile(pointer, `${outside}\n`, { mode: privateFileMode, flush: true });
  return placeAt(outside);
}

/**
 * Returns the account for a cluster's server when this process is root: the cluster's owner, for example a user who did
 * not use root before; else the chosen account.
 */
export async function accountOf(
  place: ClusterPlace,
  chosen: OsAccount | undefined,
): Promise<OsAccount | undefined> {
  if (chosen === undefined) return undefined;
  const found = await stat(place.dataDirectory).catch(() => undefined);
  return found === undefined || found.uid === 0 ? chosen : { uid: found.uid, gid: found.gid };
}

/**
 * Returns the directory for the server's socket: recorded, owned by a trusted account, and short enough for a socket's
 * address.
 */
export async function socketDirectory(place: ClusterPlace): Promise<string> {
  const recorded = await recordedSocketDirectory(place);
  if (recorded !== undefined) {
    await setMode(recorded, privateDirectoryMode);
    return recorded;
  }
  const near = path.join(place.root, 'run');
  const short = Buffer.byteLength(near) <= maxSocketDirectoryBytes;
  // The server's account owns the directory; root has access anyway.
  if (short) await makePrivateDirectory(near);
  // A random name: in a directory for everyone, somebody could create a predictable name first.
  const directory = short ? near : await mkdtemp(path.join(shortTemporaryDirectory(), 'renderkit-'));
  await writeFile(place.socketFile, `${directory}\n`, { mode: privateFileMode });
  return directory;
}

/**
 * Returns the recorded directory of the socket if it still exists. Never returns a directory that belongs to another
 * account.
 */
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

function shortTemporaryDirectory(): string {
  // macOS gives every user a temporary directory with a long name.
  return Buffer.byteLength(tmpdir()) + 20 <= maxSocketDirectoryBytes ? tmpdir() : '/tmp';
}

/**
 * Creates a directory with access for its owner only. Others may pass through only if the server runs under another
 * account.
 */
async function openTo(server: OsAccount | undefined, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateDirectoryMode });
  const isOwner = server === undefined || (await stat(directory)).uid === server.uid;
  await setMode(directory, isOwner ? privateDirectoryMode : 0o711);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
