import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { takeLock } from '@renderkit/server-kit/files/file-lock.ts';
import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { compressFiles } from './compress-files.ts';
import { StackError } from './stack-error.ts';

/**
 * A build takes 2 s of processor time, so 2 to 9 s on two cores, depending on their load. After this time, the build
 * counts as hanging.
 */
const buildLimitMs = 120_000;
/** How many lines of the build's output are reported when it fails. */
const linesTold = 15;

const ownRoot = path.resolve(import.meta.dirname, '../..');
/**
 * The built files depend on these: the sources of the console, the contract and the client, and all versions in the
 * lockfile.
 */
const sources = [
  'console/index.html',
  'console/package.json',
  'console/vite.config.ts',
  'console/public/**/*',
  'console/src/**/*.{ts,tsx,css}',
  'clients/sdk/package.json',
  'clients/sdk/src/**/*.ts',
  'contract/package.json',
  'contract/**/*.ts',
  'package-lock.json',
];

type BuildOptions = {
  environment: Environment;
  /** Called once, if there is something to build. */
  onBuild?: () => void;
  /** The root of the tree with console/ and contract/; tests pass another one. */
  root?: string;
};

/**
 * Builds console/dist from the sources unless it is up to date. Of two processes at once, one builds, and the other
 * waits and then finds the result. A failed build leaves the previous result in place.
 * @throws StackError with what to do when the console cannot be built
 */
export async function buildConsole(options: BuildOptions): Promise<'built' | 'fresh'> {
  const { environment, onBuild, root = ownRoot } = options;
  const folder = path.join(root, 'console');
  const wanted = await hashOfSources(root);
  if (await isFresh(folder, wanted)) return 'fresh';
  using lock = await lockBuild(folder);
  if (lock === undefined)
    throw new StackError('Another start builds the console and does not finish: end it, then start again.');
  if (await isFresh(folder, wanted)) return 'fresh';
  onBuild?.();
  await runVite(folder, environment);
  await compressFiles(path.join(folder, 'dist.next'));
  await takeInto(folder, wanted);
  return 'built';
}

async function hashOfSources(root: string): Promise<string> {
  const names: string[] = [];
  for await (const name of glob(sources, { cwd: root })) {
    if (/\.[a-z]+$/.test(name) && !name.endsWith('.test.ts')) names.push(name.replaceAll('\\', '/'));
  }
  const hash = createHash('sha256');
  for (const name of names.sort()) {
    const text = await readFile(path.join(root, name));
    hash.update(`${name}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}

async function isFresh(folder: string, wanted: string): Promise<boolean> {
  const kept = await readFile(path.join(folder, 'dist.sources'), 'utf8').catch(() => '');
  if (kept.trim() !== wanted) return false;
  return access(path.join(folder, 'dist/index.html')).then(
    () => true,
    () => false,
  );
}

async function lockBuild(folder: string): Promise<Disposable | undefined> {
  try {
    return await takeLock(path.join(folder, 'dist.lock'), { waitMs: buildLimitMs + 10_000 });
  } catch (error) {
    throw new StackError(
      'The console cannot be built, for its folder cannot be written: let the account that starts Renderkit write to console/, or build it once as an account that can.',
      { cause: error },
    );
  }
}

/** Builds in a separate process into a separate folder: the served files stay complete until the new files are. */
async function runVite(folder: string, environment: Environment): Promise<void> {
  const program = path.join(findVite(folder), 'bin/vite.js');
  const child = spawn(process.execPath, [program, 'build', '--outDir', 'dist.next'], {
    cwd: folder,
    env: { ...environment, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: buildLimitMs,
    killSignal: 'SIGKILL',
  });
  let said = '';
  const listen = (chunk: string) => void (said = `${said}${chunk}`.slice(-8_192));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return;
  const lines = said.trim().split('\n').slice(-linesTold).join('\n');
  throw new StackError(
    `The console could not be built (${signal === null ? `exit code ${code}` : 'it took too long'}): mend what it says below and start again, or run "npm ci" if a package is missing.\n${lines}`,
  );
}

/** Returns Vite's folder. @throws StackError when Vite is not installed */
function findVite(folder: string): string {
  try {
    return path.dirname(findPackageJSON('vite', path.join(folder, 'package.json')) ?? '');
  } catch (error) {
    throw new StackError(
      'The console cannot be built without the package vite: run "npm ci", then start again.',
      { cause: error },
    );
  }
}

/**
 * Replaces the files. Removes the mark first and writes it last, so that a crash in between never leaves a partial
 * result that looks up to date.
 */
async function takeInto(folder: string, wanted: string): Promise<void> {
  const file = (name: string) => path.join(folder, name);
  await rm(file('dist.sources'), { force: true });
  await rm(file('dist.old'), { recursive: true, force: true });
  await rename(file('dist'), file('dist.old')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(file('dist.next'), file('dist'));
  await rm(file('dist.old'), { recursive: true, force: true });
  await writeFile(file('dist.sources'), `${wanted}\n`);
}
