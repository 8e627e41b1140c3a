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

/** Written into the archive first; what the format means. */
export type Manifest = { format: 1; made_at: string; bucket?: string };

/** Media that lie in a bucket: their keys and hashes are part of a backup, and their bytes are not. */
export type BucketOfMedia = { name: string; blobs: AsyncIterable<HashedBlob[]> };

/** Under these names an archive holds PostgreSQL's files, its password, and the data directory's own. */
export const archiveNames = {
  manifest: 'manifest.json',
  cluster: 'postgres/data/',
  password: 'postgres/password',
  directory: 'data/',
  blobs: 'data/media-in-bucket/',
} as const;

/** What a server makes anew when it starts (PostgreSQL, "Making a Base Backup Using the Low Level API"). */
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
 * Writes a backup of a running embedded cluster, the media and the keys to one file (a gzipped tar), readable for
 * its owner alone. Media are copied after the database: every file that a row names is in it, or its key where they
 * lie in a bucket. Returns how many files of media are in it.
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
    // What a killed backup left may be open to others, and one that others put there would stay theirs.
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

/** Ended before the media are copied: for as long as it lasts the server keeps every file of its log. */
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

/** The directory with those inside it (the server does not make them), without a file. */
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
    // Beside the folders of media lies the file that says whose they are.
    if (isThere && path.dirname(file) !== media) counts.mediaFiles++;
  }
}

/** Of a volume's file system, and closed to all but root. */
const lostAndFound = 'lost+found';

/** Folders come and go meanwhile: one that is gone holds nothing. One that cannot be read ends the backup, for a part is none. */
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

/** A file of lines for each page of the listing. */
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

/** A file as long as it was when we opened it. False where it was gone by then, and is no part of the backup. */
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
    // The server shortened it meanwhile; the log brings it right.
    if (left > 0) yield Buffer.alloc(left);
    yield padding(size);
    return true;
  } finally {
    await handle.close();
  }
}
