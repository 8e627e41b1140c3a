// Runs one of the project's programs on a fresh machine: `node stack/launch.mjs [--dev] <program> [arguments…]`.
//
// Plain JavaScript without dependencies: this runs before anything is installed, on any Node (20 or newer) of the
// machine. Installs the packages if the lockfile changed, finds the Node that the project needs, and starts the
// program. Forwards signals to the program and returns its exit code. When the launcher is killed, the program's
// channel closes and the program stops in order.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compiledFile, compilePrograms, PROGRAMS } from './compiled-programs.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.renderkit-install');
// Next to node_modules and not inside: `npm ci` empties that folder.
const INSTALL_LOCK = join(ROOT, '.renderkit-install.lock');

/** The first release whose type stripping, node:sqlite and argon2 the project uses. */
const OLDEST_NODE = [24, 12];
const INSTALL_LIMIT_MS = 10 * 60_000;
const LOCK_BEAT_MS = 2_000;
const LOCK_STALE_MS = 30_000;
const ANCESTOR_POLL_MS = 500;
/** Node's options for a program, the same as the stack uses (service/src/config.ts, studio/src/config.ts). */
const NODE_ARGUMENTS = {
  'service/src/main.ts': ['--max-semi-space-size=8'],
  'studio/src/worker.ts': ['--max-semi-space-size=4'],
};
const SAME_SIGNAL_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** An error that the user can fix. Any other error is a bug and is shown with its stack. */
class LaunchError extends Error {}

// A failed write to the output (the reader has gone, the disk is full) must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await launch(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof LaunchError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function launch(argv) {
  const dev = argv[0] === '--dev';
  const [program, ...args] = dev ? argv.slice(1) : argv;
  if (program === undefined)
    throw new LaunchError('Usage: node stack/launch.mjs [--dev] <program> [arguments…]');
  await install(dev ? 'dev' : 'prod');
  const build = PROGRAMS.includes(program) ? compilePrograms(ROOT, nodes()[0]) : undefined;
  const file = build === undefined ? join(ROOT, program) : compiledFile(build, program);
  const cache = build === undefined ? join(MODULES, '.cache', 'node') : join(build, 'cache');
  await run([...(NODE_ARGUMENTS[program] ?? []), file, ...args], {
    ...process.env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? cache,
    ...(build !== undefined && { COMPILED_PROGRAMS: build }),
    // Published packages (clients/) are built only when they are packed; here their sources run.
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--conditions=renderkit-source'].filter(Boolean).join(' '),
  });
}

// --- packages ---------------------------------------------------------------------------------------------------

async function install(mode) {
  const wanted = { lock: lockfileHash(), platform: `${process.platform}-${process.arch}`, mode };
  if (satisfies(readStamp(), wanted)) return;
  await withInstallLock(async () => {
    const installed = readStamp();
    if (satisfies(installed, wanted)) return;
    process.stderr.write('Installing packages (first start, or the lockfile changed)…\n');
    // Adds development tools to a valid installation instead of reinstalling, so that a running stack keeps its files.
    const added = installed !== undefined && satisfies(installed, { ...wanted, mode: 'prod' });
    // No install scripts are needed, so none run. Warnings concern the Node that npm runs on, not the Node of the
    // programs.
    await runNpm([
      ...(added ? ['install', '--no-save'] : ['ci']),
      mode === 'dev' ? '--include=dev' : '--omit=dev',
      '--ignore-scripts',
      '--loglevel=error',
    ]);
    writeFileSync(STAMP, `${JSON.stringify(wanted)}\n`);
  });
}

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return undefined;
  }
}

function satisfies(installed, wanted) {
  return (
    installed?.lock === wanted.lock &&
    installed.platform === wanted.platform &&
    (installed.mode === wanted.mode || installed.mode === 'dev')
  );
}

/** Runs npm with its output on stderr, so that a program's own stdout stays clean. */
async function runNpm(args) {
  // npm sets the path of its script. Otherwise `npm` is run, on Windows through a shell because npm.cmd needs one.
  const script = process.env.npm_execpath;
  const viaNode = script !== undefined && /\.c?js$/.test(script);
  const child = viaNode
    ? spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio: ['ignore', 2, 2] })
    : spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  const limit = setTimeout(() => child.kill('SIGKILL'), INSTALL_LIMIT_MS);
  // These listeners keep this process alive, so that it sees npm end and releases the lock.
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
    child.kill('SIGTERM');
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const [code, signal] = await new Promise((settle, fail) => {
    child.once('error', fail);
    child.once('exit', (...outcome) => settle(outcome));
  }).catch((error) => {
    throw new LaunchError(`npm could not be started (${error.message}): install npm and try again.`);
  });
  clearTimeout(limit);
  for (const name of SIGNALS) process.off(name, interrupt);
  if (interrupted) throw new LaunchError('The installation was interrupted: start again to finish it.');
  if (signal === 'SIGKILL')
    throw new LaunchError(
      `npm ${args[0]} did not finish within 10 minutes: check the network and the registry, then try again.`,
    );
  if (code !== 0)
    throw new LaunchError(
      `npm ${args[0]} failed (see above): check the network and the registry, stop a stack that still runs from this folder, then try again.`,
    );
}

/**
 * Prevents two launches from installing at once. The holder updates the lock regularly; a lock without updates was left
 * by a dead process.
 */
async function withInstallLock(work) {
  const deadline = Date.now() + INSTALL_LIMIT_MS + LOCK_STALE_MS;
  let told = false;
  while (!takeLock()) {
    if (!told) process.stderr.write('Waiting for another installation in this folder…\n');
    told = true;
    if (Date.now() > deadline)
      throw new LaunchError(
        `Another installation holds ${INSTALL_LOCK}: remove that folder if none is running.`,
      );
    await sleep(250);
  }
  const beat = setInterval(() => utimesSync(INSTALL_LOCK, new Date(), new Date()), LOCK_BEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    rmSync(INSTALL_LOCK, { recursive: true, force: true });
  }
}

function takeLock() {
  try {
    mkdirSync(INSTALL_LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST')
      throw new LaunchError(`${ROOT} cannot be written (${error.code}): packages are to be installed there.`);
  }
  const age = Date.now() - (statSync(INSTALL_LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > LOCK_STALE_MS) {
    // Renames the lock before removing it: of two processes that find it stale, only one succeeds, and neither removes
    // a fresh lock.
    const grave = `${INSTALL_LOCK}.${process.pid}`;
    try {
      renameSync(INSTALL_LOCK, grave);
      rmSync(grave, { recursive: true, force: true });
    } catch {
      // The other process was faster.
    }
  }
  return false;
}

// --- the program ------------------------------------------------------------------------------------------------

async function run(argv, env) {
  for (const node of nodes()) {
    // The program runs in a separate process group and so gets each signal once, from here. Otherwise a terminal would
    // send Ctrl-C to both.
    const child = spawn(node, argv, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env,
      detached: process.platform !== 'win32',
    });
    // A binary that cannot run here (another C library) fails to start; then the machine's Node is tried.
    if (!(await started(child))) continue;
    await mirror(child);
    return;
  }
  throw new LaunchError(
    `Renderkit needs Node ${OLDEST_NODE.join('.')} or newer and this is ${process.version} on ${process.platform}-${process.arch}: install it from https://nodejs.org and try again.`,
  );
}

/** Returns the Node programs that can run the project, the preferred one first. */
function nodes() {
  return [bundledNode(), ownNode()].filter((path) => path !== undefined);
}

function bundledNode() {
  const windows = process.platform === 'win32';
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  const path = join(MODULES, name, 'bin', windows ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}

function ownNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
    ? process.execPath
    : undefined;
}

function started(child) {
  return new Promise((settle) => {
    child.once('spawn', () => settle(true));
    child.once('error', () => settle(false));
  });
}

async function mirror(child) {
  let lastStop = -Infinity;
  const stop = (signal) => {
    // npm and the terminal may both send the same signal. A user who wants to repeat a signal presses the key again
    // later.
    if (performance.now() - lastStop < SAME_SIGNAL_MS) return;
    lastStop = performance.now();
    // Windows has no signals: there, the program gets a message over its channel.
    if (process.platform !== 'win32') child.kill(signal);
    else if (child.connected) child.send({ type: 'stop' });
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const watch = watchAncestors(() => stop('SIGTERM'));
  const [code, signal] = await new Promise((settle) => child.once('exit', (...outcome) => settle(outcome)));
  clearInterval(watch);
  for (const name of SIGNALS) process.off(name, stop);
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
}

/**
 * Calls `gone` once when npm, or npm's shell, has died. After kill -9, npm sends no signal, and the program would
 * continue to use its ports. Without npm, nothing is watched: then the program may be meant to outlive its parent.
 */
function watchAncestors(gone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    gone();
  }, ANCESTOR_POLL_MS);
  timer.unref();
  return timer;
}

function ancestors() {
  const parent = process.ppid;
  if (process.platform === 'win32') {
    try {
      process.kill(parent, 0);
      return `${parent}`;
    } catch {
      return 'gone';
    }
  }
  try {
    // The name in parentheses may contain spaces; the parent's parent is the second field after it.
    const stat = readFileSync(`/proc/${parent}/stat`, 'utf8');
    return `${parent} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${parent}`;
  }
}
