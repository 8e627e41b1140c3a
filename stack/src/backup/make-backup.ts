import { createWriteStream, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { privateFileMode } from '@renderkit/server-kit/files/private-files.ts';
import type { HashedBlob } from '@renderkit/blob-storage/list-hashes.ts';
import { filesOf } from '../data-directory.ts';
import type { ClusterAddresses } from '../postgres/start-postgres.ts';
import { beginBaseBackup } from './store.ts';
import { padding, tarEnd, tarHeader } from './tar.ts';

/** Describes the format of the archive; its first entry. */
export type Manifest = { format: 1; made_at: string; bucket?: string };

/** Media in a bucket: a backup contains their keys and hashes, but not their bytes. */
export type BucketOfMedia = { name: string; blobs: AsyncIterable<HashedBlob[]> };

/** The names in an archive of PostgreSQL's files, its password, and the files of the data directory. */
export const archiveNames = {
  manifest: 'manifest.json',
  cluster: 'postgres/data/',
  password: 'postgres/password',
  directory: 'data/',
  blobs: 'data/media-in-bucket/',
} as const;

/** Directories that a server refills when it starts (PostgreSQL, "Making a Base Backup Using the Low Level API"). */
const emptiedDirectories = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const leftOut = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label.*|tablespace_map.*)$/;

/**
 * Writes a backup of a running embedded cluster, the media and the keys to one file (a gzipped tar), readable only by
 * its owner. Copies media after the database: the backup contains each file that a row names, or only its key if media
 * are in a bucket. Returns how many media files the backup contains. `stack/src/operator/backup.ts` refuses external
 * databases.
 */
export async function makeBackup(options: {
  cluster: ClusterAddresses;
  dataDirectory: string;
  file: string;
  bucket?: BucketOfMedia;
}): Promise<{ bytes: number; mediaFiles: number }> {
  const counts: Counts = { mediaFiles: 0 };
  const unfinished = `${options.file}.unfinished`;
  try {
    // The file that a killed backup left may be readable by others, and a file created by another account would keep
    // its owner.
    await rm(unfinished, { force: true });
    await pipeline(
      Readable.from(archive(options, counts), { objectMode: false }),
      createGzip({ level: 1 }),
      createWriteStream(unfinished, { flags: 'wx', mode: privateFileMode, flush: true }),
    );
    await rename(unfinished, options.file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { bytes: (await stat(options.file)).size, ...counts };
}

type Source = { cluster: ClusterAddresses; dataDirectory: string; bucket?: BucketOfMedia };
type Counts = { mediaFiles: number };

async function* archive({ cluster, dataDirectory, bucket }: Source, counts: Counts): AsyncGenerator<Buffer> {
  const made_at = new Date().toISOString();
  const manifest: Manifest = { format: 1, made_at, ...(bucket && { bucket: bucket.name }) };
  yield* memoryEntry(archiveNames.manifest, `${JSON.stringify(manifest)}\n`);
  yield* baseBackup(cluster);
  yield* fileEntry(archiveNames.password, path.join(path.dirname(cluster.clusterDirectory), 'password'));
  yield* directoryFiles(dataDirectory, counts);
  if (bucket !== undefined) yield* keysOfBlobs(bucket);
  yield tarEnd;
}

/**
 * Copies the database. Ends the base backup before the media are copied: until then, the server keeps all files of its
 * log.
 */
async function* baseBackup(cluster: ClusterAddresses): AsyncGenerator<Buffer> {
  await using backup = await beginBaseBackup(cluster.superuserUrl);
  yield* clusterFiles(cluster.clusterDirectory, '');
  const { label, firstLogFile, lastLogFile } = await backup.finish();
  yield* memoryEntry(`${archiveNames.cluster}backup_label`, label);
  const log = path.join(cluster.clusterDirectory, 'pg_wal');
  for (const name of (await readdir(log)).sort())
    if (/^[0-9A-F]{24}$/.test(name) && name >= firstLogFile && name <= lastLogFile)
      yield* fileEntry(`${archiveNames.cluster}pg_wal/${name}`, path.join(log, name));
}

async function* clusterFiles(root: string, below: string): AsyncGenerator<Buffer> {
  const directory = path.join(root, below);
  yield directoryEntry(`${archiveNames.cluster}${below}`);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (leftOut.test(entry.name)) continue;
    const name = `${below}${entry.name}`;
    if (entry.isFile()) yield* fileEntry(`${archiveNames.cluster}${name}`, path.join(directory, entry.name));
    else if (!entry.isDirectory()) continue;
    else if (below === '' && emptiedDirectories.has(entry.name)) yield* emptyDirectory(root, name);
    else yield* clusterFiles(root, `${name}/`);
  }
}

/** Yields the directory without its files, and those of its directories that the server does not create. */
async function* emptyDirectory(root: string, name: string): AsyncGenerator<Buffer> {
  yield directoryEntry(`${archiveNames.cluster}${name}/`);
  for (const entry of await readdir(path.join(root, name), { withFileTypes: true }))
    if (entry.isDirectory() && name === 'pg_wal')
      yield directoryEntry(`${archiveNames.cluster}${name}/${entry.name}/`);
}

async function* directoryFiles(dataDirectory: string, counts: Counts): AsyncGenerator<Buffer> {
  const { secretKey, studioClientSecret, moderation, media } = filesOf(dataDirectory);
  const nameOf = (file: string) =>
    `${archiveNames.directory}${path.relative(dataDirectory, file).split(path.sep).join('/')}`;
  for (const file of [secretKey, studioClientSecret, moderation]) yield* fileEntry(nameOf(file), file);
  for await (const file of filesBelow(media)) {
    const isThere = yield* fileEntry(nameOf(file), file);
    // The file with the studio's name lies next to the media folders and is not counted.
    if (isThere && path.dirname(file) !== media) counts.mediaFiles++;
  }
}

/** A directory of the volume's file system that only root can read. */
const lostAndFound = 'lost+found';

/**
 * Yields all files below a folder. A folder removed meanwhile counts as empty. A folder that cannot be read ends the
 * backup, because a partial backup is useless.
 */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  for (const entry of await entriesOf(folder)) {
    const name = path.join(folder, entry.name);
    if (entry.name === lostAndFound) continue;
    if (entry.isDirectory()) yield* filesBelow(name);
    else if (entry.isFile()) yield name;
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/** Yields one JSON Lines file for each page of the listing. */
async function* keysOfBlobs({ blobs }: BucketOfMedia): AsyncGenerator<Buffer> {
  let page = 0;
  for await (const list of blobs) {
    const name = `${archiveNames.blobs}${String(++page).padStart(6, '0')}.jsonl`;
    yield* memoryEntry(name, list.map((blob) => `${JSON.stringify(blob)}\n`).join(''));
  }
}

function directoryEntry(name: string): Buffer {
  return tarHeader({ name, size: 0, mode: 0o700 });
}

function* memoryEntry(name: string, text: string): Generator<Buffer> {
  const content = Buffer.from(text);
  yield tarHeader({ name, size: content.length, mode: 0o600 });
  yield content;
  yield padding(content.length);
}

/**
 * Yields a file with the length that it had when it was opened. Returns `false` when the file was gone; then it is not
 * part of the backup.
 */
async function* fileEntry(name: string, file: string): AsyncGenerator<Buffer, boolean> {
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    yield tarHeader({ name, size, mode: 0o600 });
    let left = size;
    while (left > 0) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(left, 1024 * 1024)));
      if (bytesRead === 0) break;
      yield buffer.subarray(0, bytesRead);
      left -= bytesRead;
    }
    // The server shortened the file meanwhile; the log restores the right content.
    if (left > 0) yield Buffer.alloc(left);
    yield padding(size);
    return true;
  } finally {
    await handle.close();
  }
}
