import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { replaceFile } from '@renderkit/server-kit/files/durable-files.ts';
import type { PostgresBinaries } from './binaries.ts';
import { superuser } from './connection.ts';
import type { OsAccount } from './os-account.ts';
import type { ClusterPlace } from './place.ts';

const limitMs = 120_000;

/**
 * Creates the cluster unless it exists. Creates it under another name and renames the complete cluster, so that a
 * killed start leaves nothing that looks like a cluster. The caller must hold the cluster's lock.
 */
export async function initialiseCluster(options: {
  binaries: PostgresBinaries;
  place: ClusterPlace;
  account: OsAccount | undefined;
}): Promise<void> {
  const { place, account } = options;
  if (await exists(place.dataDirectory)) return;
  for (const name of await readdir(place.root))
    if (name.startsWith('new-')) await rm(path.join(place.root, name), { recursive: true, force: true });
  const password = await keepPassword(place);
  const work = path.join(place.root, `new-${process.pid}`);
  const data = path.join(work, 'data');
  const passwordCopy = path.join(work, 'password');
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(passwordCopy, password, { mode: 0o600 });
  if (account !== undefined)
    for (const file of [work, data, passwordCopy]) await chown(file, account.uid, account.gid);
  await runInitdb(options.binaries.initdb, data, passwordCopy, account);
  await rename(data, place.dataDirectory);
  await rm(work, { recursive: true, force: true });
}

async function keepPassword(place: ClusterPlace): Promise<string> {
  const kept = await readFile(place.passwordFile, 'utf8').catch(() => '');
  if (kept !== '') return kept;
  const password = randomBytes(24).toString('base64url');
  await replaceFile(place.passwordFile, password);
  return password;
}

async function runInitdb(initdb: string, data: string, passwordFile: string, account: OsAccount | undefined) {
  const child = spawn(
    initdb,
    [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      // PostgreSQL's built-in C.UTF-8 sorts the same on every machine; the C library's is missing on some.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-locale',
      '--no-instructions',
    ],
    {
      ...account,
      cwd: path.dirname(data),
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: limitMs,
      env: environment(),
    },
  );
  const [errors, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    }),
  ]);
  if (code !== 0) throw new Error(`initdb failed: ${errors.trim() || `exit code ${code}`}`);
}

/**
 * Returns a minimal environment for PostgreSQL's programs: PGDATA, PGPORT, LC_ALL and others would change their
 * behaviour.
 */
export function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'windir', 'ComSpec'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
