import { createReadStream } from 'node:fs';
import { chmod, chown, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { privateDirectoryMode, privateFileMode } from '@renderkit/server-kit/files/private-files.ts';
import type { StackConfig } from '../config.ts';
import { holdDataDirectory } from '../data-directory.ts';
import { openDatabases, prepareDatabases } from '../databases.ts';
import { type OsAccount, unprivilegedAccount } from '../postgres/os-account.ts';
import { type ClusterPlace, findClusterPlace } from '../postgres/place.ts';
import { StackError } from '../stack-error.ts';
import { archiveNames, type Manifest } from './make-backup.ts';
import { BrokenArchive, type ReadTarEntry, readTar } from './tar.ts';

/** Files that the lock itself creates. */
const ofTheLock = ['lock', 'lock-holder', 'lock-journal'];

/**
 * Restores a backup into an empty data directory and starts the database once to check that it works.
 * @throws StackError
 */
export async function restoreBackup(config: StackConfig, file: string): Promise<Manifest> {
  using held = await holdDataDirectory(config.dataDirectory);
  const there = (await readdir(config.dataDirectory)).filter((name) => !ofTheLock.includes(name));
  if (there.length > 0)
    throw new StackError(
      `${config.dataDirectory} is not empty: a backup is restored into an empty DATA_DIR only.`,
    );
  try {
    const manifest = await unpack(config, file);
    await using databases = await openDatabases(config);
    await prepareDatabases(databases.urls);
    await held.sayStopping();
    return manifest;
  } catch (error) {
    await clear(config);
    if (error instanceof BrokenArchive || isZlibError(error))
      throw new StackError(`${file} is no whole backup (${error.message}): nothing was restored.`, {
        cause: error,
      });
    throw error;
  }
}

async function unpack(config: StackConfig, file: string): Promise<Manifest> {
  const account = await unprivilegedAccount(config.postgresUser);
  const source = await open(file).catch((error: unknown) => {
    throw new StackError(`${file} cannot be read: give --from the file of a backup.`, { cause: error });
  });
  const place = await findClusterPlace(config.dataDirectory, account);
  const unfinished: ClusterPlace = { ...place, dataDirectory: path.join(place.root, 'restoring') };
  const stream = createReadStream(file, { fd: source, autoClose: true });
  const unzipped = stream.pipe(createGunzip());
  // pipe() does not forward errors.
  stream.once('error', (error) => unzipped.destroy(error));
  let manifest: Manifest | undefined;
  for await (const entry of readTar(unzipped)) {
    if (manifest === undefined) manifest = await readManifest(entry);
    else await restoreEntry(entry, { config, place: unfinished, account });
  }
  if (manifest === undefined) throw new BrokenArchive('it is empty');
  // Renamed last: a partially restored directory has no cluster.
  await rename(unfinished.dataDirectory, place.dataDirectory);
  return manifest;
}

async function readManifest(entry: ReadTarEntry): Promise<Manifest> {
  const text = await Array.fromAsync(entry.content);
  const manifest: unknown =
    entry.name === archiveNames.manifest ? JSON.parse(Buffer.concat(text).toString()) : undefined;
  if (!isManifest(manifest)) throw new BrokenArchive('it was not made by this version of backup');
  return manifest;
}

type Target = { config: StackConfig; place: ClusterPlace; account: OsAccount | undefined };

async function restoreEntry(entry: ReadTarEntry, { config, place, account }: Target): Promise<void> {
  if (entry.name.startsWith(archiveNames.cluster)) {
    const target = inside(place.dataDirectory, entry.name.slice(archiveNames.cluster.length));
    await restoreFile(entry, target);
    await chmod(target, entry.name.endsWith('/') ? privateDirectoryMode : privateFileMode);
    if (account !== undefined) await chown(target, account.uid, account.gid);
  } else if (entry.name === archiveNames.password) await restoreFile(entry, place.passwordFile);
  else if (entry.name.startsWith(archiveNames.directory))
    await restoreFile(entry, inside(config.dataDirectory, entry.name.slice(archiveNames.directory.length)));
  else throw new BrokenArchive(`it holds ${entry.name}`);
}

async function restoreFile(entry: ReadTarEntry, target: string): Promise<void> {
  if (entry.name.endsWith('/')) {
    await mkdir(target, { recursive: true, mode: privateDirectoryMode });
    return;
  }
  await mkdir(path.dirname(target), { recursive: true, mode: privateDirectoryMode });
  await using handle = await open(target, 'wx', privateFileMode);
  for await (const chunk of entry.content) await handle.writeFile(chunk);
  await handle.sync();
}

/** Prevents an archive from writing outside the directory. */
function inside(directory: string, name: string): string {
  const target = path.resolve(directory, name);
  if (target !== directory && !target.startsWith(directory + path.sep))
    throw new BrokenArchive(`it holds ${name}`);
  return target;
}

async function clear(config: StackConfig): Promise<void> {
  // The cluster may lie elsewhere; the file that points to it is removed with the rest.
  const place = await findClusterPlace(config.dataDirectory, await unprivilegedAccount(config.postgresUser));
  await rm(place.root, { recursive: true, force: true });
  for (const name of await readdir(config.dataDirectory))
    if (!ofTheLock.includes(name))
      await rm(path.join(config.dataDirectory, name), { recursive: true, force: true });
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
