// Which programs are compiled, and where they lie. Plain JavaScript without dependencies, because the launcher asks.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** What is started most often. Any other program runs from its sources. */
export const PROGRAMS = [
  'service/src/main.ts',
  'studio/src/main.ts',
  'studio/src/worker.ts',
  'stack/src/main.ts',
  'stack/src/migrate.ts',
  'stack/src/operator/main.ts',
  'stack/src/postgres/postgres-supervisor.ts',
  'media-kit/src/media-process.ts',
  'media-kit/src/wasm-ffmpeg-process.ts',
  'engines/procedural/src/engine-process.ts',
  'engines/kit/src/supervisor-process.ts',
];

/** Tests start these too, some of them dozens of times. */
export const TEST_PROGRAMS = [
  'clients/cli/src/main.ts',
  'service/test/crash-entry.ts',
  'service/test/doomed-entry.ts',
  'studio/test/crash-studio.ts',
  'studio/test/crash-worker.ts',
];

/** Folders of which something may be in them; `stack` holds the compiler as well. */
const SOURCES = [
  'contract',
  'server-kit/src',
  'egress/src',
  'media-kit/src',
  'blob-storage/src',
  'engines',
  'manifests/src',
  'identity/src',
  'clients/sdk/src',
  'clients/mcp/src',
  'service/src',
  'studio/src',
  'stack',
];
const TEST_SOURCES = ['clients/cli/src', 'service/test', 'studio/test'];

/** It takes 2 s of processor time. */
const COMPILE_LIMIT_MS = 120_000;
const TOUCH_MS = 10 * 60_000;

/**
 * The folder of the programs compiled from the sources as they are, made by `node` where there is none, and kept for as
 * long as this process runs; undefined where it cannot be made.
 */
export function compilePrograms(root, node) {
  const stamp = stampOf(root);
  const build = knownBuild(root, stamp) ?? buildFolder(root);
  if (!existsSync(build)) {
    const compiler = join(root, 'stack', 'compile-programs.mjs');
    const options = { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: COMPILE_LIMIT_MS };
    const { status, stderr } = spawnSync(node, [compiler], options);
    // One line of it; what is wrong with a source the program itself says better.
    const reason = /^\w*Error: (.*)$/m.exec(stderr ?? '')?.[1] ?? `exit code ${status}`;
    if (status !== 0) {
      process.stderr.write(
        `Running from the sources, which starts slower: compiling them failed (${reason}).\n`,
      );
      return undefined;
    }
  }
  writeKnown(root, { stamp, build });
  touch(build);
  setInterval(() => touch(build), TOUCH_MS).unref();
  return build;
}

/**
 * The state of the sources as the file system tells it, without a look into them: reading them all is most of what a launch costs.
 * A file that was written since has another time of change, which nobody can set.
 */
function stampOf(root) {
  const hash = createHash('sha256').update(root);
  for (const name of [...listSources(root), 'package-lock.json']) {
    const { ino, size, mtimeMs, ctimeMs } = statSync(join(root, name));
    hash.update(`\0${name}\0${ino} ${size} ${mtimeMs} ${ctimeMs}`);
  }
  return hash.digest('hex');
}

/** Says which build the sources made when they were last read. */
function knownFile(root) {
  return join(root, 'node_modules', '.cache', 'known-build.json');
}

function knownBuild(root, stamp) {
  try {
    const known = JSON.parse(readFileSync(knownFile(root), 'utf8'));
    return known.stamp === stamp && existsSync(known.build) ? known.build : undefined;
  } catch {
    return undefined;
  }
}

/** The stamp was taken before the sources were read: what changed in between has another one. */
function writeKnown(root, known) {
  const file = knownFile(root);
  try {
    if (readFileSync(file, 'utf8') === JSON.stringify(known)) return;
  } catch {
    // there is none yet
  }
  try {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(known));
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // a folder of another account: the sources are read each time
  }
}

/** Those that nobody used lately are removed. */
function touch(build) {
  try {
    utimesSync(build, new Date(), new Date());
  } catch {
    // made by another account, which uses it as well
  }
}

/** Files of which something may be in the programs, below the root and in order. */
export function listSources(root, { tests = false } = {}) {
  const files = [];
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') walk(name);
      } else if (/\.(?:ts|mjs|json)$/.test(name) && !name.endsWith('.test.ts')) files.push(name);
    }
  };
  for (const folder of [...SOURCES, ...(tests ? TEST_SOURCES : [])])
    if (existsSync(join(root, folder))) walk(folder);
  return files.sort((a, b) => (a < b ? -1 : 1));
}

/** Holds a folder for each state of the sources. */
export function buildsFolder(root) {
  return join(root, 'node_modules', '.cache', 'programs');
}

/**
 * The folder of the sources as they are now, with `tests` the one that has the programs of tests too; it need not be
 * there. Its programs name files of this root.
 */
export function buildFolder(root, { tests = false } = {}) {
  const hash = createHash('sha256').update(`${root}\0${tests}`);
  for (const name of [...listSources(root, { tests }), 'package-lock.json']) {
    const text = readFileSync(join(root, name));
    hash.update(`\0${name}\0${text.length}\0`).update(text);
  }
  return join(buildsFolder(root), hash.digest('hex').slice(0, 32));
}

/** The compiled program of a source file, named from the root. */
export function compiledFile(folder, program) {
  return join(folder, program.replace(/\.ts$/, '.mjs'));
}
