// Which programs are compiled, and where they are stored. Plain JavaScript without dependencies, because the launcher
// imports this file.

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

/** The programs started most often. All other programs run from their sources. */
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

/** Programs that tests start too, some of them dozens of times. */
export const TEST_PROGRAMS = [
  'clients/cli/src/main.ts',
  'service/test/crash-entry.ts',
  'service/test/doomed-entry.ts',
  'studio/test/crash-studio.ts',
  'studio/test/crash-worker.ts',
];

/** Folders whose files may be part of the programs; `stack` also contains the compiler. */
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

/** Compiling takes 2 s of processor time. */
const COMPILE_LIMIT_MS = 120_000;
const TOUCH_MS = 10 * 60_000;

/**
 * Returns the folder of the programs compiled from the current sources. `node` compiles them if there is no build yet.
 * The build is kept while this process runs. Returns `undefined` when compiling fails.
 */
export function compilePrograms(root, node) {
  const stamp = stampOf(root);
  const build = knownBuild(root, stamp) ?? buildFolder(root);
  if (!existsSync(build)) {
    const compiler = join(root, 'stack', 'compile-programs.mjs');
    const options = { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: COMPILE_LIMIT_MS };
    const { status, stderr } = spawnSync(node, [compiler], options);
    // One line of the error is enough: the program itself reports errors in a source better.
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
 * Returns the state of the sources from the file system, without reading them: reading takes most of a launch. A file
 * written since has another time of change (ctime), which nobody can set.
 */
function stampOf(root) {
  const hash = createHash('sha256').update(root);
  for (const name of [...listSources(root), 'package-lock.json']) {
    const { ino, size, mtimeMs, ctimeMs } = statSync(join(root, name));
    hash.update(`\0${name}\0${ino} ${size} ${mtimeMs} ${ctimeMs}`);
  }
  return hash.digest('hex');
}

/** Stores which build the sources made when they were last read. */
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

/** The stamp was taken before the sources were read: a source changed in between has another stamp. */
function writeKnown(root, known) {
  const file = knownFile(root);
  try {
    if (readFileSync(file, 'utf8') === JSON.stringify(known)) return;
  } catch {
    // There is none yet.
  }
  try {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(known));
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The folder belongs to another account: the sources are read each time.
  }
}

/** Marks the build as used, since builds that nobody used lately are removed. */
function touch(build) {
  try {
    utimesSync(build, new Date(), new Date());
  } catch {
    // Another account made the build and marks it too.
  }
}

/** Returns the files that may be part of the programs, relative to the root and sorted. */
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

/** The folder with one build for each state of the sources. */
export function buildsFolder(root) {
  return join(root, 'node_modules', '.cache', 'programs');
}

/**
 * Returns the folder for the current sources, which need not exist. With `tests`, the folder also has the programs of
 * tests. The programs contain paths below this root.
 */
export function buildFolder(root, { tests = false } = {}) {
  const hash = createHash('sha256').update(`${root}\0${tests}`);
  for (const name of [...listSources(root, { tests }), 'package-lock.json']) {
    const text = readFileSync(join(root, name));
    hash.update(`\0${name}\0${text.length}\0`).update(text);
  }
  return join(buildsFolder(root), hash.digest('hex').slice(0, 32));
}

/** Returns the compiled program of a source file; `program` is relative to the root. */
export function compiledFile(folder, program) {
  return join(folder, program.replace(/\.ts$/, '.mjs'));
}
